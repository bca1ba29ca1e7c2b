#include "remote/backends/open_backend.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "hipcache/base/files.h"

namespace hipcache::remote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr mode_t kDirectory = 0777;  // less the umask, of a tier's directory that is missing
constexpr mode_t kOfDirectory = 07777;
constexpr std::chrono::milliseconds kLockPause{5};

Failure failure_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::denied:
      return {Trouble::refused, error.message, {}};
    case ErrorCode::no_space:
      return {Trouble::full, error.message, {}};
    default:
      return {Trouble::unreachable, error.message, {}};
  }
}

// A lock that is waited for, within a limit. Without it the change goes on: the value stays whole.
class Locked {
 public:
  Locked(const std::string& path, std::optional<mode_t> mode, std::chrono::milliseconds limit)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kFileMode)) {
    if (file_ && mode) [[maybe_unused]]
      const int of_others = fchmod(file_.get(), *mode);
    const auto until = Clock::now() + limit;
    while (file_ && flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && Clock::now() < until)
      std::this_thread::sleep_for(kLockPause);
  }

 private:
  UniqueFd file_;  // closing it unlocks
};

// Who may share a tier is the choice of its directory's owner: what is made in it has the directory's rights, whatever
// the umask is. Else the results of a group's first user would lock out all others.
class FileStore : public KeyValue {
 public:
  explicit FileStore(std::string directory) : directory_(std::move(directory)) {}

  // What is no file of at most that size is damaged: the next write replaces it. A fifo's writer is not waited for.
  Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& /*limits*/) override {
    const UniqueFd file(open(path_of(name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status{};
    if (!file && errno == ENOENT) return missing();
    if (!file && errno == ENXIO) return damaged("no file");  // a socket
    if (!file || fstat(file.get(), &status) != 0)
      return Answer<std::string>(failure_of(system_error("cannot read", path_of(name))));
    if (!S_ISREG(status.st_mode)) return damaged("no file");
    if (status.st_size == 0) return damaged("an empty file");
    if (static_cast<std::uint64_t>(status.st_size) > most) return damaged("a value exceeds its limit");
    Result<std::string> bytes = read_fd(file.get(), most, path_of(name));
    if (!bytes) return Answer<std::string>(failure_of(bytes.error()));
    const std::uint64_t size = bytes->size();
    return {std::move(*bytes), size};
  }

  Answer<bool> has(const std::string& name, const Limits& /*limits*/) override {
    struct stat status{};
    return {stat(path_of(name).c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0, 0};
  }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& /*limits*/) override {
    if (Status made = make_parents(name); !made) return WriteAnswer(failure_of(made.error()));
    const std::string path = path_of(name);
    const std::optional<mode_t> mode = mode_of_files();
    Status written = replace_file(path, value, mode);
    if (!written && moved_aside(path)) written = replace_file(path, value, mode);
    if (!written) return WriteAnswer(failure_of(written.error()));
    return {Written{}, value.size()};
  }

  WriteAnswer change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits) override {
    if (Status made = make_parents(name); !made) return WriteAnswer(failure_of(made.error()));
    const Locked lock(std::string(directory_name(path_of(name))) + "/lock", mode_of_files(), limits.answer);
    Answer<std::string> present = get(name, most, limits);
    if (present.failure && present.failure->trouble != Trouble::damaged) return WriteAnswer(*present.failure);
    const std::optional<std::string> next = change(present.value);
    return next ? put(name, *next, limits) : WriteAnswer();
  }

 private:
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }

  static Answer<std::string> damaged(const char* what) {
    return Answer<std::string>(Failure{Trouble::damaged, what, {}});
  }

  // A share that is not mounted has no value of anybody. The tier's own directory may be one that nobody wrote to yet.
  Answer<std::string> missing() const {
    if (Status there = check_parent(); !there) return Answer<std::string>(failure_of(there.error()));
    return {};
  }

  Status check_parent() const {
    const std::string parent(directory_name(directory_));
    struct stat status{};
    if (stat(parent.c_str(), &status) == 0) return done();
    return Error{"there is no directory " + parent + ": mount the share, or make the directory", ErrorCode::denied};
  }

  // A directory is in the value's place.
  static bool moved_aside(const std::string& path) {
    struct stat status{};
    return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           rename(path.c_str(), (path + ".no-value").c_str()) == 0;
  }

  std::optional<mode_t> mode_of_root() const {
    struct stat status{};
    return stat(directory_.c_str(), &status) == 0 ? std::optional(status.st_mode & kOfDirectory) : std::nullopt;
  }

  std::optional<mode_t> mode_of_files() const {
    const std::optional<mode_t> mode = mode_of_root();
    return mode ? std::optional(*mode & kFileMode) : std::nullopt;
  }

  // No more than the last name of the tier's directory is made: the rest may be a share that is not mounted.
  Status make_parents(const std::string& name) const {
    const std::string path(directory_name(path_of(name)));
    if (access(path.c_str(), F_OK) == 0) return done();
    if (mkdir(directory_.c_str(), kDirectory) != 0 && errno != EEXIST) {
      const Error why = system_error("cannot make directory", directory_);
      const Status there = check_parent();
      return there ? why : there.error();
    }
    const std::optional<mode_t> mode = mode_of_root();
    std::string made = directory_;
    for (const std::string_view part : path_names(std::string_view(path).substr(directory_.size()))) {
      made.append("/").append(part);
      if (mkdir(made.c_str(), S_IRWXU) == 0) {
        if (mode && chmod(made.c_str(), *mode) != 0) return system_error("cannot share", made);
      } else if (errno != EEXIST) {
        return system_error("cannot make directory", made);
      }
    }
    return done();
  }

  const std::string directory_;
};

}  // namespace

std::unique_ptr<KeyValue> make_file_store(const std::string& directory) {
  return std::make_unique<FileStore>(directory);
}

}  // namespace hipcache::remote
