#include "remote/transport/addresses.h"

#include <sys/socket.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace hipcache::remote {
namespace {

using Found = std::variant<Addresses, Failure>;

Found resolve(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (problem != 0) return Failure{Trouble::unreachable, std::string("cannot connect: ") + gai_strerror(problem), {}};
  return Addresses(found);
}

// Shared by who asks and the thread that resolves. The one that is done last frees it.
struct Question {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<Found> found;
};

}  // namespace

Found addresses_of(const std::string& host, std::uint16_t port, std::chrono::steady_clock::time_point until) {
  if (Found found = resolve(host, port, AI_NUMERICHOST); std::holds_alternative<Addresses>(found)) return found;
  const auto question = std::make_shared<Question>();
  try {
    std::thread([question, host, port] {
      Found found = resolve(host, port, AI_ADDRCONFIG);
      const std::lock_guard lock(question->mutex);
      question->found = std::move(found);
      question->answered.notify_one();
    }).detach();
  } catch (const std::system_error&) {
    return Failure{Trouble::unreachable, "cannot connect: no thread to resolve the name with", {}};
  }
  std::unique_lock lock(question->mutex);
  if (!question->answered.wait_until(lock, until, [&] { return question->found.has_value(); }))
    return Failure{Trouble::unreachable, "cannot connect: the host's name was not resolved in time", {}};
  return std::move(*question->found);
}

}  // namespace hipcache::remote
