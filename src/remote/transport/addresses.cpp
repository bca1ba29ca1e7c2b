#include "remote/transport/addresses.h"

#include <sys/socket.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace hipcache::remote {
namespace {

using FoundAddresses = std::variant<Addresses, Failure>;

FoundAddresses resolve(const std::string& host, std::uint16_t port, int flags) {
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
struct NameQuestion {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<FoundAddresses> found;
};

}  // namespace

FoundAddresses addresses_of(const std::string& host, std::uint16_t port, std::chrono::steady_clock::time_point until) {
  if (auto found = resolve(host, port, AI_NUMERICHOST); std::holds_alternative<Addresses>(found)) return found;
  const auto question = std::make_shared<NameQuestion>();
  try {
    std::thread([question, host, port] {
      FoundAddresses found = resolve(host, port, AI_ADDRCONFIG);
      const std::lock_guard lock(question->mutex);
      question->found = std::move(found);
      question->answered.notify_one();
    }).detach();
  } catch (const std::system_error&) {
    return Failure{Trouble::unreachable, "cannot connect: no thread to resolve the name with", {}};
  }
  std::unique_lock lock(question->mutex);
  if (!question->answered.wait_until(lock, until, [&] { return question->found.has_value(); }))
    return Failure{Trouble::unreachable, "cannot connect: the host's name was not resolved in time", {}, true};
  return std::move(*question->found);
}

bool is_numeric_host(const std::string& host) {
  return std::holds_alternative<Addresses>(resolve(host, 0, AI_NUMERICHOST));
}

std::vector<std::string> texts_of(const Addresses& addresses) {
  std::vector<std::string> texts;
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) continue;
    texts.push_back(one->ai_family == AF_INET6 ? "[" + std::string(text.data()) + "]" : std::string(text.data()));
  }
  return texts;
}

}  // namespace hipcache::remote
