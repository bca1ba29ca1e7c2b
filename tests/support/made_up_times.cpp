#include "support/made_up_times.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace hipcache::support {
namespace {

// Answers the kernel's requests. A node's number is its place in `paths_`, plus one.
class Server {
 public:
  Server(int fd, const std::string& directory, MadeUp ctime) : fd_(fd), paths_{directory}, ctime_(ctime) {}

  void serve() {
    std::vector<char> request(1 << 17);
    for (;;) {
      const ssize_t got = ::read(fd_, request.data(), request.size());
      if (got < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT) return;
      if (got >= static_cast<ssize_t>(sizeof(fuse_in_header))) answer(request.data());
    }
  }

 private:
  template <typename Answer>
  void reply(const fuse_in_header& to, const Answer& answer) {
    reply_bytes(to, 0, {reinterpret_cast<const char*>(&answer), sizeof answer});
  }
  void refuse(const fuse_in_header& to, int error) { reply_bytes(to, -error, {}); }
  void reply_bytes(const fuse_in_header& to, int error, std::string_view bytes) {
    fuse_out_header header = {static_cast<std::uint32_t>(sizeof header + bytes.size()), error, to.unique};
    const std::array<iovec, 2> parts{{{&header, sizeof header}, {const_cast<char*>(bytes.data()), bytes.size()}}};
    static_cast<void>(::writev(fd_, parts.data(), bytes.empty() ? 1 : 2));
  }

  const std::string& path_of(std::uint64_t node) const { return paths_[node - 1]; }

  std::uint64_t node_of(const std::string& path) {
    const auto at = std::find(paths_.begin(), paths_.end(), path);
    if (at == paths_.end()) return paths_.push_back(path), paths_.size();
    return static_cast<std::uint64_t>(at - paths_.begin()) + 1;
  }

  fuse_attr attributes(std::uint64_t node, const struct stat& status) const {
    fuse_attr attr = {};
    attr.ino = node;
    attr.size = static_cast<std::uint64_t>(status.st_size);
    attr.mode = status.st_mode;
    attr.nlink = 1;
    attr.mtime = static_cast<std::uint64_t>(status.st_mtim.tv_sec);
    attr.ctime = ctime_ == MadeUp::as_mtime ? attr.mtime : 1'000'000'000;
    return attr;
  }

  void answer(const char* request) {
    const auto& header = *reinterpret_cast<const fuse_in_header*>(request);
    const char* argument = request + sizeof header;
    struct stat status = {};
    switch (header.opcode) {
      case FUSE_INIT: {
        fuse_init_out out = {};
        out.major = FUSE_KERNEL_VERSION;
        out.minor = FUSE_KERNEL_MINOR_VERSION;
        out.max_write = 4096;
        return reply(header, out);
      }
      case FUSE_LOOKUP: {
        const std::string path = path_of(header.nodeid) + "/" + argument;
        if (::lstat(path.c_str(), &status) != 0) return refuse(header, errno);
        fuse_entry_out out = {};
        out.nodeid = node_of(path);
        out.attr = attributes(out.nodeid, status);
        return reply(header, out);
      }
      case FUSE_GETATTR: {
        if (::lstat(path_of(header.nodeid).c_str(), &status) != 0) return refuse(header, errno);
        fuse_attr_out out = {};
        out.attr = attributes(header.nodeid, status);
        return reply(header, out);
      }
      case FUSE_OPEN:
      case FUSE_OPENDIR:
        return reply(header, fuse_open_out{});
      case FUSE_READ:
        return read(header, *reinterpret_cast<const fuse_read_in*>(argument));
      case FUSE_READDIR:
        return list(header, *reinterpret_cast<const fuse_read_in*>(argument));
      case FUSE_RELEASE:
      case FUSE_RELEASEDIR:
      case FUSE_FLUSH:
        return refuse(header, 0);
      case FUSE_STATFS:
        return reply(header, fuse_statfs_out{});
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
        return;
      default:
        return refuse(header, ENOSYS);
    }
  }

  void read(const fuse_in_header& header, const fuse_read_in& wanted) {
    std::string bytes(wanted.size, '\0');
    const int file = ::open(path_of(header.nodeid).c_str(), O_RDONLY);
    const ssize_t got = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(wanted.offset));
    ::close(file);
    if (got < 0) return refuse(header, EIO);
    reply_bytes(header, 0, std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  }

  void list(const fuse_in_header& header, const fuse_read_in& wanted) {
    std::string bytes;
    DIR* directory = ::opendir(path_of(header.nodeid).c_str());
    std::uint64_t number = 0;
    while (const dirent* entry = directory == nullptr ? nullptr : ::readdir(directory)) {
      if (++number <= wanted.offset) continue;
      const std::size_t length = std::strlen(entry->d_name);
      fuse_dirent out = {1, number, static_cast<std::uint32_t>(length), 0};
      std::string one(reinterpret_cast<const char*>(&out), FUSE_NAME_OFFSET);
      one.append(entry->d_name, length).resize(FUSE_DIRENT_ALIGN(one.size()));
      if (bytes.size() + one.size() > wanted.size) break;
      bytes += one;
    }
    if (directory != nullptr) ::closedir(directory);
    reply_bytes(header, 0, bytes);
  }

  const int fd_;
  std::vector<std::string> paths_;
  const MadeUp ctime_;
};

}  // namespace

MadeUpTimes::MadeUpTimes(const std::string& directory, const std::string& place, MadeUp ctime) : place_(place) {
  const int fd = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  const std::string options = "fd=" + std::to_string(fd) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
  if (::mount("made-up", place.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0) {
    server_ = ::fork();
    if (server_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      Server(fd, directory, ctime).serve();
      ::_exit(0);
    }
  }
  ::close(fd);
}

MadeUpTimes::~MadeUpTimes() {
  if (server_ <= 0) return;
  ::umount2(place_.c_str(), MNT_DETACH);
  ::kill(server_, SIGKILL);
  ::waitpid(server_, nullptr, 0);
}

}  // namespace hipcache::support
