// A daemon that says what a test has it say: one script per connection, in order, on a thread of its own. When the
// scripts are used up the socket is gone.
#ifndef HIPCACHE_TESTS_CLIENT_FAKE_DAEMON_H
#define HIPCACHE_TESTS_CLIENT_FAKE_DAEMON_H

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/protocol/channel.h"
#include "support/comes_true.h"

namespace hipcache::client {

class FakeDaemon {
 public:
  using Script = std::function<void(protocol::Channel& channel)>;

  FakeDaemon(const std::string& cache_directory, std::vector<Script> scripts);
  ~FakeDaemon();  // fails the test if a script was not used
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;

 private:
  void serve();

  std::string path_;
  UniqueFd listener_;
  std::vector<Script> scripts_;
  std::thread thread_;
};

// What a script heard, for the test: scripts run on another thread, so a test that reads a variable which a script
// writes has a race. Reading waits until it was written.
template <typename T>
class Heard {
 public:
  void set(T value) { promise_.set_value(std::move(value)); }
  // REQUIRES: called once. Fails the test if nothing is heard within the limit.
  T get() {
    std::future<T> value = promise_.get_future();
    if (value.wait_for(support::kPatience) == std::future_status::ready) return value.get();
    ADD_FAILURE() << "the daemon heard nothing";
    return T();
  }

 private:
  std::promise<T> promise_;
};

// The next message, which is to be of type T.
template <typename T>
T expect(protocol::Channel& channel);

// Takes the compile request, then replies with the message.
FakeDaemon::Script reply_with(protocol::Message message);

// Takes the compile request, then says these bytes and closes.
FakeDaemon::Script reply_bytes(std::string bytes);

}  // namespace hipcache::client

#endif
