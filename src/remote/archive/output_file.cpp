#include "remote/archive/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

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

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& path) {
  if (path == "-") return OutputFile(UniqueFd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)), "", path);
  if (is_special(path)) {
    UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return system_error("cannot write", path);
    return OutputFile(std::move(file), "", path);
  }
  const std::string target = real_path(path);  // the link stays
  const std::string temporary = target + ".part-" + std::to_string(getpid());
  remove_on_signal(temporary);
  UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (!file) return system_error("cannot write", temporary);
  return OutputFile(std::move(file), temporary, target);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::move(other.file_)), temporary_(std::exchange(other.temporary_, {})), path_(std::move(other.path_)) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status OutputFile::keep() {
  if (temporary_.empty()) return done();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return system_error("cannot write", path_);
  temporary_.clear();
  return done();
}

}  // namespace hipcache::remote
