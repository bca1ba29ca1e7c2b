#include "remote/archive/program.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "remote/archive/archive.h"

namespace hipcache::remote {

namespace {

constexpr std::array<int, 3> kEndings{SIGINT, SIGTERM, SIGHUP};

std::array<char, PATH_MAX> to_remove{};  // for the handler, which may not allocate

void remove_and_end(int signal) {
  if (to_remove[0] != '\0') unlink(to_remove.data());
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void remove_on_signal(const std::string& path) {
  if (path.size() >= to_remove.size()) return;
  std::memcpy(to_remove.data(), path.c_str(), path.size() + 1);
  for (const int ending : kEndings) std::signal(ending, remove_and_end);
}

bool is_special(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

// The file that an export writes: under a temporary name, and renamed when it is whole. So nobody reads a part, and a
// failed export leaves the earlier file. A signal that ends the program removes the temporary file.
//
// What is no plain file (a pipe, /dev/null) is written in place. One object at a time.
class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile() {
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // "-": standard output. Once.
  Status open(const std::string& path) {
    path_ = real_path(path);  // a link stays
    std::string written = path_;
    if (path == "-") {
      file_ = UniqueFd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    } else if (is_special(path)) {
      file_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    } else {
      written += ".part-" + std::to_string(getpid());
      remove_on_signal(written);
      file_ = UniqueFd(::open(written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
      if (file_) temporary_ = written;
    }
    return file_ ? done() : Status(system_error("cannot write", written));
  }

  int fd() const { return file_.get(); }
  // Gives the file its name.
  Status keep() {
    if (temporary_.empty()) return done();
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return system_error("cannot write", path_);
    temporary_.clear();
    return done();
  }

 private:
  UniqueFd file_;
  std::string temporary_;  // empty: written in place
  std::string path_;
};

constexpr int kUsage = 2;

constexpr double kMegabyte = 1e6;

int fail(const std::string& message) {
  std::fprintf(stderr, "hipcache: error: %s\n", message.c_str());
  return 1;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string results(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " result" : " results"); }

void print_exported(const Exported& exported, const std::string& path) {
  const std::string rest = exported.is_limited ? "; the size limit left out others" : "";
  std::fprintf(path == "-" ? stderr : stdout, "Exported %s of %llu, %.1f MB%s\n", results(exported.results).c_str(),
               static_cast<unsigned long long>(exported.selected), static_cast<double>(exported.bytes) / kMegabyte,
               rest.c_str());
}

int export_to(const std::string& path, protocol::Channel& channel, std::uint64_t max_bytes,
              const protocol::RemoteSelect& select) {
  if (path == "-" && isatty(STDOUT_FILENO) == 1)
    return fail("cannot export to a terminal; name a file, or redirect standard output");
  OutputFile file;
  if (Status opened = file.open(path); !opened) return fail(opened.error().message);
  const Result<Exported> exported = write_archive(channel, select, file.fd(), max_bytes);
  if (!exported) return fail("cannot export to " + path + ": " + exported.error().message);
  if (Status kept = file.keep(); !kept) return fail(kept.error().message);
  print_exported(*exported, path);
  return 0;
}

// What trusted_keys refuses.
std::string refused(const Imported& imported) {
  std::string text;
  if (imported.not_signed > 0) text += ", " + std::to_string(imported.not_signed) + " are not signed";
  if (imported.untrusted > 0)
    text += ", " + std::to_string(imported.untrusted) + " are not signed by a key of trusted_keys";
  return text;
}

int import_from(const std::string& path, protocol::Channel& channel) {
  if (path == "-" && isatty(STDIN_FILENO) == 1)
    return fail("cannot import from a terminal; name a file, or redirect standard input");
  const UniqueFd file(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                  : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error("cannot import", path).message);
  const Result<Imported> imported = read_archive(channel, file.get());
  if (!imported) return fail("cannot import " + path + ": " + imported.error().message);
  const protocol::RemoteTally& tally = imported->tally;
  std::printf("Imported %s; %llu were there already, %llu cannot be used here%s%s\n", results(tally.results).c_str(),
              static_cast<unsigned long long>(tally.known), static_cast<unsigned long long>(tally.left_out),
              refused(*imported).c_str(), tally.error.empty() ? "" : (", " + tally.error).c_str());
  return 0;
}

}  // namespace

int run_archive(const std::vector<std::string>& words) {
  const std::optional<int> socket = words.size() < 3 ? std::nullopt : number_of<int>(words[1]);
  int type = 0;
  socklen_t size = sizeof type;
  if (!socket || getsockopt(*socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fprintf(stderr, "hipcache-remote: error: hipcache --export and --import start this\n");
    return kUsage;
  }
  fcntl(*socket, F_SETFD, FD_CLOEXEC);
  protocol::Channel channel((UniqueFd(*socket)));
  if (words[0] == "import" && words.size() == 3) return import_from(words[2], channel);
  const std::optional<std::uint64_t> max_bytes = words.size() < 5 ? std::nullopt : number_of<std::uint64_t>(words[3]);
  const std::optional<std::uint64_t> since = words.size() < 5 ? std::nullopt : number_of<std::uint64_t>(words[4]);
  if (words[0] != "export" || !max_bytes || !since) return kUsage;
  return export_to(words[2], channel, *max_bytes, {{words.begin() + 5, words.end()}, *since});
}

}  // namespace hipcache::remote
