#include "compiler/command_line/arguments.h"

#include <llvm/Support/Allocator.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::compiler {
namespace {

constexpr std::string_view kSeparators = "=,:;@ \t'\"";

}  // namespace

// A path inside an argument begins at the first slash after the option's name or after a separator.
// The check for "fd" and "stdin" comes first, because every hit calls this for every argument and
// hardly any has either.
bool names_descriptor(std::string_view argument, std::string_view working_directory) {
  if (argument.find("fd") == std::string_view::npos && argument.find("stdin") == std::string_view::npos &&
      working_directory.find("fd") == std::string_view::npos)
    return false;
  if (!argument.starts_with('-') && is_descriptor_path(join_path(working_directory, argument))) return true;
  while (!argument.empty()) {
    const std::size_t end = std::min(argument.find_first_of(kSeparators), argument.size());
    const std::string_view part = argument.substr(0, end);
    const std::size_t slash = part.find('/');
    if (slash != std::string_view::npos && is_descriptor_path(part.substr(slash))) return true;
    argument.remove_prefix(std::min(end + 1, argument.size()));
  }
  return false;
}

bool names_device(std::string_view argument) {
  for (auto at = argument.find("/dev/"); at != std::string_view::npos; at = argument.find("/dev/", at + 1)) {
    const bool begins = at == 0 || argument[at - 1] == '=' || argument[at - 1] == ',' || argument[at - 1] == 'o';
    if (begins && argument.substr(at) != "/dev/null" && !argument.substr(at).starts_with("/dev/shm/")) return true;
  }
  return false;
}

std::optional<std::string> descriptor_among(const std::vector<std::string>& arguments,
                                            const std::string& working_directory) {
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (names_descriptor(arguments[i], working_directory)) return arguments[i];
  return std::nullopt;
}

namespace {

std::vector<std::string> split_gnu(const std::string& text) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*, 64> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  return {words.begin(), words.end()};
}

// clang converts UTF-16 files, which start with a byte order mark, and strips the mark of UTF-8
// files.
bool has_byte_order_mark(const std::string& text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") || text.starts_with("\xef\xbb\xbf");
}

// A pipe can be read only once, and the compiler must read it. For a missing file this returns
// true: reading it gives the error.
bool is_file(const std::string& path) {
  struct stat status = {};
  return !names_descriptor(path, "/") && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

class Expander {
 public:
  explicit Expander(std::string directory) : directory_(std::move(directory)) {}

  Status add(const std::string& argument) {
    if (argument.empty() || argument[0] != '@') {
      result.arguments.push_back(argument);
      return done();
    }
    return add_file(join_path(directory_, argument.substr(1)));
  }

  ExpandedArguments result;

 private:
  Status add_file(const std::string& path) {
    if (open_.size() == kMaxResponseDepth) return Error{"response file " + path + " is nested too deep"};
    if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
      return Error{"response file " + path + " refers to itself"};
    }
    if (++read_ > kMaxResponseFiles) return Error{"response file " + path + " is one too many"};
    if (!is_file(path)) return Error{"response file " + path + " is not a file that can be read twice"};
    Result<std::string> text = read_file(path, bytes_left_);
    if (!text) return text.error();
    if (has_byte_order_mark(*text) || text->find('\0') != std::string::npos) {
      return Error{"response file " + path + " is not plain text"};
    }
    bytes_left_ -= text->size();
    remember(path);
    open_.push_back(path);
    for (const std::string& word : split_gnu(*text)) {
      if (Status added = add(word); !added) return added;
    }
    open_.pop_back();
    return done();
  }

  void remember(const std::string& path) {
    if (std::find(result.files.begin(), result.files.end(), path) == result.files.end()) result.files.push_back(path);
  }

  std::string directory_;
  std::vector<std::string> open_;
  std::size_t read_ = 0;
  std::uint64_t bytes_left_ = kMaxResponseBytes;
};

}  // namespace

Result<ExpandedArguments> expand_response_files(const std::vector<std::string>& argv,
                                                const std::string& working_directory) {
  Expander expander(working_directory);
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (i == 0) {
      expander.result.arguments.push_back(argv[0]);
    } else if (Status added = expander.add(argv[i]); !added) {
      return added.error();
    }
  }
  return std::move(expander.result);
}

}  // namespace hipcache::compiler
