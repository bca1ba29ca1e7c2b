// A mount namespace of the test's own, where only root may mount.
#ifndef HIPCACHE_TESTS_SUPPORT_OWN_MOUNTS_H
#define HIPCACHE_TESTS_SUPPORT_OWN_MOUNTS_H

#include <sched.h>
#include <sys/mount.h>

#include <string>

namespace hipcache::support {

// False if this process may not have one.
inline bool enter_own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Mounts a directory or file over another one; unmounts it at the end.
class BindMount {
 public:
  BindMount(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) { again(); }
  ~BindMount() { ::umount2(to_.c_str(), MNT_DETACH); }
  BindMount(const BindMount&) = delete;
  BindMount& operator=(const BindMount&) = delete;

  // Unmounts, and mounts another one in that place, or the same.
  void again() { again(from_); }
  void again(const std::string& from) {
    ::umount2(to_.c_str(), MNT_DETACH);
    is_mounted_ = ::mount(from.c_str(), to_.c_str(), nullptr, MS_BIND, nullptr) == 0;
  }
  bool is_mounted() const { return is_mounted_; }

 private:
  const std::string from_;
  const std::string to_;
  bool is_mounted_ = false;
};

}  // namespace hipcache::support

#endif
