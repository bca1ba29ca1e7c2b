// A daemon that says what a test has it say: one script per connection, in order, on a thread of its own. When the
// scripts are used up the socket is gone.
#ifndef HIPCACHE_TESTS_CLIENT_FAKE_DAEMON_H
#define HIPCACHE_TESTS_CLIENT_FAKE_DAEMON_H

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/protocol/channel.h"

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

// The next message, which is to be of type T.
template <typename T>
T expect(protocol::Channel& channel);

// Takes the compile request, then answers with the message.
FakeDaemon::Script answer(protocol::Message message);

// Takes the compile request, then says these bytes and closes.
FakeDaemon::Script answer_bytes(std::string bytes);

}  // namespace hipcache::client

#endif
