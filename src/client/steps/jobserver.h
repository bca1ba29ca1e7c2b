// A client of GNU make's jobserver. A build with -jN has N - 1 tokens in a pipe. A process that wants to run one more
// job at once takes a token and returns it afterwards.
//
// The problem: an idle machine is no permission to exceed the user's -jN. The choice: the client's first step uses the
// job that make gave this process. Each further concurrent step needs a token while it runs. Under other build tools,
// and where make does not pass the jobserver on, only the daemon's job slots limit the steps. Before 4.4, make passes
// it only to lines that start with '+' or mention $(MAKE).
//
// Format source: "POSIX Jobserver Interaction" in make's manual. MAKEFLAGS has --jobserver-auth=R,W (two descriptors)
// or --jobserver-auth=fifo:PATH; before 4.2, --jobserver-fds=R,W. Thread-safe.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_JOBSERVER_H
#define HIPCACHE_SRC_CLIENT_STEPS_JOBSERVER_H

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::client {

class Jobserver {
 public:
  // Opens the jobserver that MAKEFLAGS names, if it is accessible.
  explicit Jobserver(const std::vector<std::string>& environment);

  // Permission to run one job; the destructor returns it.
  class Place {
   public:
    Place(Place&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), token_(other.token_) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (owner_ != nullptr) owner_->give_back(token_);
    }

   private:
    friend class Jobserver;
    Place(Jobserver* owner, int token) : owner_(owner), token_(token) {}

    Jobserver* owner_;  // null: nothing was taken
    int token_;         // the byte that was read, or kOwnPlace
  };

  // make's descriptors, which commands inherit if MAKEFLAGS names the jobserver by numbers.
  const std::vector<int>& inherited() const { return inherited_; }

  // Waits for a place until `is_over`, which is polled. A jobserver that is gone does not limit.
  Place take(const std::function<bool()>& is_over);

 private:
  static constexpr int kOwnPlace = -1;

  bool take_own();
  void give_back(int token);

  UniqueFd reader_;  // not blocking; invalid if there is no jobserver
  UniqueFd writer_;
  std::vector<int> inherited_;
  std::mutex mutex_;
  bool own_is_free_ = true;
};

}  // namespace hipcache::client

#endif
