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

constexpr mode_t kDirectory = 0777;  // less the umask: who may share the directory is its owner's choice
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
  Locked(const std::string& path, std::chrono::milliseconds limit)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode)) {
    const auto until = Clock::now() + limit;
    while (file_ && flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && Clock::now() < until)
      std::this_thread::sleep_for(kLockPause);
  }

 private:
  UniqueFd file_;  // closing it unlocks
};

class FileStore : public KeyValue {
 public:
  explicit FileStore(std::string directory) : directory_(std::move(directory)) {}

  Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& /*limits*/) override {
    Result<std::string> bytes = read_file(path_of(name), most);
    if (bytes && bytes->empty()) return Answer<std::string>(Failure{Trouble::damaged, "an empty file", {}});
    if (bytes) {
      const std::uint64_t size = bytes->size();
      return {std::move(*bytes), size};
    }
    if (bytes.error().code == ErrorCode::gone) return {};
    return Answer<std::string>(failure_of(bytes.error()));
  }

  Answer<bool> has(const std::string& name, const Limits& /*limits*/) override {
    struct stat status{};
    return {stat(path_of(name).c_str(), &status) == 0 && status.st_size > 0, 0};
  }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& /*limits*/) override {
    if (Status made = make_parents(name); !made) return WriteAnswer(failure_of(made.error()));
    if (Status written = replace_file(path_of(name), value); !written) return WriteAnswer(failure_of(written.error()));
    return {Written{}, value.size()};
  }

  WriteAnswer change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits) override {
    if (Status made = make_parents(name); !made) return WriteAnswer(failure_of(made.error()));
    const Locked lock(std::string(directory_name(path_of(name))) + "/lock", limits.answer);
    Answer<std::string> present = get(name, most, limits);
    if (present.failure && present.failure->trouble != Trouble::damaged) return WriteAnswer(*present.failure);
    const std::optional<std::string> next = change(present.value);
    return next ? put(name, *next, limits) : WriteAnswer();
  }

 private:
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }

  Status make_parents(const std::string& name) const {
    return make_directories(std::string(directory_name(path_of(name))), kDirectory);
  }

  const std::string directory_;
};

}  // namespace

std::unique_ptr<KeyValue> make_file_store(const std::string& directory) {
  return std::make_unique<FileStore>(directory);
}

}  // namespace hipcache::remote
