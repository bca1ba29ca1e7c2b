#include "client/fake_daemon.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <variant>

#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::client {
namespace {

using namespace std::chrono_literals;

constexpr auto kLimit = 30s;

}  // namespace

FakeDaemon::FakeDaemon(const std::string& cache_directory, std::vector<Script> scripts)
    : path_(protocol::socket_path(cache_directory).value()), scripts_(std::move(scripts)) {
  EXPECT_TRUE(make_directories(std::string(directory_name(path_)), 0700));
  Result<UniqueFd> listener = protocol::listen_at(path_);
  EXPECT_TRUE(listener) << listener.error().message;
  listener_ = std::move(*listener);
  thread_ = std::thread([this] { serve(); });
}

FakeDaemon::~FakeDaemon() {
  shutdown(listener_.get(), SHUT_RDWR);  // wakes an accept for which nobody came
  thread_.join();
}

void FakeDaemon::serve() {
  for (std::size_t served = 0; served < scripts_.size(); ++served) {
    // Until somebody comes, or the test has ended.
    pollfd waited{.fd = listener_.get(), .events = POLLIN, .revents = 0};
    poll(&waited, 1, static_cast<int>(std::chrono::milliseconds(support::kPatience).count()));
    Result<UniqueFd> connection =
        waited.revents != 0 ? protocol::accept_from(listener_.get()) : Result<UniqueFd>(Error{"nobody came"});
    if (!connection) {
      ADD_FAILURE() << "the client connected " << served << " times, expected " << scripts_.size();
      break;
    }
    // As with the real one: who comes while it leaves finds nobody.
    if (served + 1 == scripts_.size()) unlink(path_.c_str());
    if (served + 1 == scripts_.size()) shutdown(listener_.get(), SHUT_RDWR);
    protocol::Channel channel(std::move(*connection));
    scripts_[served](channel);
  }
  unlink(path_.c_str());
}

template <typename T>
T expect(protocol::Channel& channel) {
  Result<protocol::Received> received = channel.receive(kLimit);
  if (received && std::holds_alternative<T>(received->message)) return std::get<T>(std::move(received->message));
  ADD_FAILURE() << (received ? "another message" : received.error().message);
  return T();
}

template protocol::CompileRequest expect(protocol::Channel& channel);
template protocol::ControlRequest expect(protocol::Channel& channel);
template protocol::StepDone expect(protocol::Channel& channel);

FakeDaemon::Script reply_with(protocol::Message message) {
  return [message = std::move(message)](protocol::Channel& channel) {
    expect<protocol::CompileRequest>(channel);
    EXPECT_TRUE(channel.send(message, kLimit));
  };
}

FakeDaemon::Script reply_bytes(std::string bytes) {
  return [bytes = std::move(bytes)](protocol::Channel& channel) {
    expect<protocol::CompileRequest>(channel);
    EXPECT_TRUE(write_all(channel.fd(), bytes, "the client"));
  };
}

}  // namespace hipcache::client
