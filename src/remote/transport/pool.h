// Open connections that wait for their next use. Thread-safe; each connection is used by one thread at a time.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_POOL_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_POOL_H

#include <memory>
#include <mutex>
#include <vector>

namespace hipcache::remote {

template <typename Connection>
class Pool {
 public:
  // The one that was used last, or null.
  std::unique_ptr<Connection> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }

  // Keeps a connection that is in order.
  void put_back(std::unique_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;  // as many as threads worked at once
};

}  // namespace hipcache::remote

#endif
