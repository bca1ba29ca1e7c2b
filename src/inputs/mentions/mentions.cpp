#include "hipcache/inputs/mentions.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "hipcache/base/files.h"
#include "inputs/mentions/directives.h"
#include "inputs/mentions/own_name_macros.h"
#include "inputs/mentions/program_mentions.h"
#include "inputs/rules/text_marks.h"
#include "inputs/state/file_system_memo.h"

namespace hipcache::inputs {
namespace {

// Larger files are data. They are taken to mention everything.
constexpr std::uint64_t kLargestText = 16u << 20;

// __FILE_NAME__ is not among them: it is the last component alone, and shows no directory.
constexpr std::array<std::string_view, 4> kAsking = {"__FILE__", "__BASE_FILE__", "__builtin_FILE", "source_location"};

// __FUNCSIG__ and __builtin_FUNCSIG are clang's with -fms-extensions. __builtin_dump_struct prints by a function that
// may be evaluated at compile time.
constexpr std::array<std::string_view, 4> kPrinting = {"__PRETTY_FUNCTION__", "FUNCSIG", "source_location",
                                                       "__builtin_dump_struct"};

constexpr std::array<std::string_view, 2> kNoTexts = {
    "\x7f"
    "ELF",
    "!<arch>\n"};
constexpr std::size_t kLongestMagic = 8;

bool is_no_text(std::string_view begin) {
  return std::any_of(kNoTexts.begin(), kNoTexts.end(),
                     [&](std::string_view magic) { return begin.starts_with(magic); });
}

bool begins_as_no_text(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kLongestMagic> begin = {};
  const ssize_t length = file ? ::read(file.get(), begin.data(), begin.size()) : -1;
  return length > 0 && is_no_text({begin.data(), static_cast<std::size_t>(length)});
}

// The rest of a root's name behind a directory above it: a root's bit, and "one/".
using Rests = std::set<std::pair<RootMask, std::string>>;

void add_rest(std::string_view directory, const Roots& roots, Rests& rests) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  for (std::size_t i = 0; i < roots.all().size(); ++i)
    for (const std::string* name : {&roots.all()[i].path, &roots.all()[i].alias})
      if (name->size() > directory.size() + 1 && name->starts_with(directory) && (*name)[directory.size()] == '/')
        rests.insert({RootMask{1} << i, name->substr(directory.size() + 1) + "/"});
}

// For the directories that the compiler may have searched: it looked at them, read a file in them, or ran there.
Rests rests_of_roots(const std::vector<Observation>& observations, const RunContext& from) {
  Rests rests;
  if (from.roots.empty()) return rests;
  add_rest(from.working_directory, from.roots, rests);
  add_rest(from.logical_directory(), from.roots, rests);
  for (const Observation& observation : observations) {
    if (!asks_about_path(observation.question)) continue;
    const std::string path = from.roots.local_path(observation.name);
    if (!path.starts_with('/')) continue;
    const std::string_view name = path;
    add_rest(observation.question == Question::content ? name.substr(0, name.rfind('/')) : name, from.roots, rests);
  }
  return rests;
}

RootMask included_in(std::string_view bytes, const Rests& rests) {
  RootMask included = 0;
  for (const auto& [root, rest] : rests)
    for (const char quote : {'<', '"'})
      if (bytes.find(quote + rest) != bytes.npos) included |= root;
  return included;
}

TextMarks look_into(std::string_view bytes, const Roots& roots, const Rests& rests) {
  if (is_no_text(bytes)) return {};
  return {.shown = roots.shown_in(bytes),
          .named = roots.named_in_text(bytes),
          .included = included_in(bytes, rests),
          .asks_own_name = asks_its_own_name(bytes),
          .prints_types = may_print_types(bytes),
          .is_code = !is_only_directives(bytes)};
}

// The marks are stored under the digest of exactly the bytes that were read.
TextMarks marks_of(const std::string& path, const struct stat& status, const Roots& roots, const Rests& rests,
                   FileSystemState& file_system) {
  const TextMarks all{
      .shown = roots.every(), .named = roots.every(), .asks_own_name = true, .prints_types = true, .is_code = true};
  if (static_cast<std::uint64_t>(status.st_size) > kLargestText) return begins_as_no_text(path) ? TextMarks() : all;
  const Result<Digest> content = file_system.content(path);
  if (!content) return all;
  auto& known = file_system.memo().texts;
  const auto key_of = [&](const Digest& digest) {
    Hasher hasher("text");
    hasher.field(digest).field(roots.id());
    for (const auto& [root, rest] : rests) hasher.field(root).field(rest);
    return hasher.finish();
  };
  if (const auto marks = known.find(key_of(*content))) return *marks;
  const Result<std::string> bytes = read_file(path, kLargestText);
  if (!bytes) return all;
  const TextMarks marks = look_into(*bytes, roots, rests);
  known.insert(key_of(digest_of(*bytes)), marks);
  return marks;
}

// Headers of the system and of installed packages. Their macros are taken to use __FILE__ as text alone: none measures
// or hashes it.
bool is_installed(std::string_view path) { return path.starts_with("/usr/") || path.starts_with("/opt/"); }

RootMask build_directories(const Roots& roots) {
  RootMask found = 0;
  for (const char* mark : {kBuildMark, kOuterBuildMark})
    if (const Root* root = roots.find(mark)) found |= roots.holding(root->path);
  return found;
}

// A toolchain's own subdirectories. Files elsewhere in its directory may be a project's.
bool is_toolchains_own(std::string_view path, const Root& toolchain) {
  constexpr std::array<std::string_view, 9> kOwn = {"/lib/",   "/lib64/", "/libexec/", "/include/", "/bin/",
                                                    "/share/", "/llvm/",  "/amdgcn/",  "/hip/"};
  return std::any_of(kOwn.begin(), kOwn.end(), [&](std::string_view directory) {
    return path.substr(toolchain.path.size()).starts_with(directory);
  });
}

// Of the generated files, those that may use a macro which asks for their names. `read`: all files of the compile.
std::vector<OwnName> users_of_macros(std::vector<OwnName> generated, const std::vector<std::string>& read,
                                     const std::vector<std::string>& arguments) {
  OwnNameMacros macros;
  bool all_known = true;
  for (const std::string& path : read) {
    if (begins_as_no_text(path)) continue;
    const Result<std::string> text = read_file(path, kLargestText);
    if (text) macros.add(*text, is_installed(path));
    all_known = all_known && (text || is_installed(path));
  }
  macros.close(arguments);
  std::erase_if(generated, [&](const OwnName& own) {
    const Result<std::string> text = read_file(own.path, kLargestText);
    return all_known && text && !macros.may_be_used_in(*text);
  });
  return generated;
}

// gcc runs its compilers proper as programs, clang has its own name in that of a program or library.
bool is_by_gcc(const std::vector<Observation>& observations) {
  constexpr std::array<std::string_view, 4> kProper = {"cc1", "cc1plus", "cc1obj", "cc1objplus"};
  bool has_proper = false;
  for (const Observation& observation : observations) {
    if (observation.question != Question::content) continue;
    const std::string_view name = base_name(observation.name);
    if (name.find("clang") != name.npos) return false;
    has_proper = has_proper || std::find(kProper.begin(), kProper.end(), name) != kProper.end();
  }
  return has_proper;
}

// Which files that the compile read may print the names of types. Installed headers and a toolchain's own files are
// exempt: they print them in messages.
class TypePrinters {
 public:
  void add(RootMask root, const std::string& path, bool is_toolchains_own) {
    if (is_installed(path) || is_toolchains_own) return;
    is_any_ = true;
    is_in_root_ = is_in_root_ || root != 0;
  }
  // The command may define a macro that prints them.
  void add_macro() { is_any_ = is_in_root_ = true; }
  // Whether they may print a type of code in that root.
  bool may_print(RootMask root, RootMask builds) const { return is_in_root_ || (is_any_ && (root & builds) != 0); }

 private:
  bool is_any_ = false;
  bool is_in_root_ = false;
};

// Keeps the first file for each root, of those with mapped names and of the others.
class OwnNames {
 public:
  void add(OwnName own) {
    RootMask& roots = own.is_mapped ? mapped_ : unmapped_;
    if ((roots & own.root) != 0) return;
    roots |= own.root;
    names_.push_back(std::move(own));
  }
  std::vector<OwnName> take() { return std::move(names_); }

 private:
  RootMask mapped_ = 0;
  RootMask unmapped_ = 0;
  std::vector<OwnName> names_;
};

bool has_any(std::string_view source, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return source.find(word) != std::string_view::npos; });
}

}  // namespace

bool asks_its_own_name(std::string_view source) { return has_any(source, kAsking); }

bool may_print_types(std::string_view source) { return has_any(source, kPrinting); }

Mentions mentions_in(const std::vector<Observation>& observations, const RunContext& from,
                     const std::vector<std::string>& arguments, FileSystemState& file_system) {
  Mentions mentions;
  OwnNames own_names;
  std::vector<OwnName> generated, code;
  std::vector<std::string> read;
  bool has_macros = false;
  const bool shows_types = !is_by_gcc(observations);
  TypePrinters printers;
  const RootMask builds = build_directories(from.roots);
  const Rests rests = rests_of_roots(observations, from);
  for (const Observation& observation : observations) {
    if (observation.question != Question::content) continue;
    const std::string path = from.path_of(observation.name);
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const TextMarks marks = marks_of(path, status, from.roots, rests, file_system);
    mentions.shown |= marks.shown | marks.included;
    mentions.named |= marks.named | marks.included;
    const bool says_nothing = marks.shown == 0 && !marks.asks_own_name && !marks.is_code;
    const RootMask by_program = says_nothing ? named_by_program(path, from.roots, file_system) : 0;
    mentions.shown |= by_program;
    mentions.named |= by_program;
    const std::string place = from.roots.local_path(observation.name);
    const Root* around = from.roots.around(place);
    const RootMask root = from.roots.holding(place);
    const bool is_strange = around != nullptr && around->mark == kToolchainMark &&
                            !is_toolchains_own(from.roots.real_spelling(place), *around);
    const bool is_own = around != nullptr && around->mark == kToolchainMark && !is_strange;
    if (marks.asks_own_name && root != 0) own_names.add({root, path});
    if (marks.prints_types && shows_types) {
      if (root != 0) own_names.add({.root = root, .path = path, .is_mapped = false});
      printers.add(root, path, is_own);
    }
    if (marks.is_code && root != 0 && !is_own) code.push_back({.root = root, .path = path, .is_mapped = false});
    if (marks.is_code && ((root & builds) != 0 || is_strange)) generated.push_back({root, path});
    read.push_back(path);
    has_macros = has_macros || (marks.asks_own_name && !is_installed(path));
  }
  if (has_macros && !generated.empty())
    for (const OwnName& own : users_of_macros(std::move(generated), read, arguments)) own_names.add(own);
  if (shows_types && std::any_of(arguments.begin(), arguments.end(), may_print_types)) printers.add_macro();
  for (OwnName& own : code)
    if (printers.may_print(own.root, builds)) own_names.add(std::move(own));
  mentions.own_names = own_names.take();
  return mentions;
}

}  // namespace hipcache::inputs
