#include "remote/transport/byte_stream.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "remote/transport/curl.h"

namespace hipcache::remote {

using std::chrono::milliseconds;
using State = Transfer::State;

ByteStream::ByteStream() : curl_(std::make_unique<Curl>()) {}
ByteStream::~ByteStream() = default;

std::variant<std::unique_ptr<ByteStream>, Failure> ByteStream::open(const Address& address, TimePoint until) {
  std::unique_ptr<ByteStream> stream(new ByteStream());
  Curl& curl = *stream->curl_;
  const std::string place = address.host.empty() ? "localhost" : address.host + ":" + std::to_string(address.port);
  curl.prepare((address.tls ? "https://" : "http://") + place, address.files,
               std::max(std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()), milliseconds(1)));
  curl.set(CURLOPT_CONNECT_ONLY, 1L);
  curl.set(CURLOPT_PROXY, "");
  curl.set(CURLOPT_SSL_ENABLE_ALPN, 0L);
  curl.set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (address.host.empty()) curl.set(CURLOPT_UNIX_SOCKET_PATH, address.path.c_str());
  const CURLcode code = curl_easy_perform(curl.get());
  if (code == CURLE_OK) return stream;
  if (code != CURLE_OPERATION_TIMEDOUT) return curl.failure_of(code);
  return curl.late("no connection in time");
}

Transfer ByteStream::read(std::span<char> to) {
  std::size_t size = 0;
  const CURLcode code = curl_easy_recv(curl_->get(), to.data(), to.size(), &size);
  if (code == CURLE_AGAIN) return {State::wants_read};
  if (code == CURLE_OK && size > 0) return {State::moved, size};
  failure_ = code == CURLE_OK ? Failure{Trouble::unreachable, "the server closed the connection", {}}
                              : curl_->failure_of(code);
  return {failure_.trouble == Trouble::refused ? State::failed : State::closed};
}

Transfer ByteStream::write(std::string_view bytes) {
  std::size_t size = 0;
  const CURLcode code = curl_easy_send(curl_->get(), bytes.data(), bytes.size(), &size);
  if (code == CURLE_AGAIN || (code == CURLE_OK && size == 0)) return {State::wants_write};
  if (code == CURLE_OK) return {State::moved, size};
  const Failure closed = curl_->failure_of(code);
  std::array<char, 1> unused{};
  const Transfer reason = read(unused);
  if (reason.state == State::failed) return reason;
  failure_ = closed;
  return {State::closed};
}

bool ByteStream::wait_for(State state, TimePoint until) const {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(curl_->get(), CURLINFO_ACTIVESOCKET, &socket);
  const short event = state == State::wants_write ? POLLOUT : POLLIN;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd waited{socket, event, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

}  // namespace hipcache::remote
