// GNU make's jobserver: a build with -jN has N - 1 tokens in a pipe, and whoever wants to run one more job at once
// takes one and gives it back.
//
// The problem: an idle machine is no leave to run more than the user's -jN. The choice: this process's first step runs
// on the place that make gave it; each further one at the same time needs a token, for as long as it runs. Where make
// gives no way to its tokens (before 4.4 only to lines that start with '+' or mention $(MAKE)), and under other build
// tools, the daemon's count of the machine's processors is all that limits.
//
// The protocol: "POSIX Jobserver Interaction" in make's manual. MAKEFLAGS has --jobserver-auth=R,W (two descriptors) or
// --jobserver-auth=fifo:PATH; before 4.2, --jobserver-fds=R,W. Thread-safe.
#ifndef HIPCACHE_SRC_CLIENT_JOBSERVER_H
#define HIPCACHE_SRC_CLIENT_JOBSERVER_H

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::client {

class Jobserver {
 public:
  // The one that the environment names, if there is a way to it.
  explicit Jobserver(const std::vector<std::string>& environment);

  // Leave to run one job; given back when it is destroyed.
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

  // The descriptors of make's that a program below us inherits, if it was told of them by numbers.
  const std::vector<int>& inherited() const { return inherited_; }

  // Waits for a place, until `is_over`, which is asked now and then. A jobserver that is gone does not limit.
  Place take(const std::function<bool()>& is_over);

 private:
  static constexpr int kOwnPlace = -1;

  bool take_own();
  void give_back(int token);

  UniqueFd reader_;  // not blocking; none: no jobserver
  UniqueFd writer_;
  std::vector<int> inherited_;
  std::mutex mutex_;
  bool own_is_free_ = true;
};

}  // namespace hipcache::client

#endif
