#include "remote/backends/redis_connection.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "remote/transport/socket_stream.h"
#include "remote/transport/tls_stream.h"

namespace hipcache::remote {
namespace {

using Clock = std::chrono::steady_clock;
using State = Transfer::State;

constexpr std::uint16_t kPort = 6379;
constexpr std::size_t kReadSize = 16u << 10;

struct KnownError {
  std::string_view begins;
  Trouble trouble;
};
constexpr auto kErrors = std::to_array<KnownError>({{"NOAUTH", Trouble::refused},
                                                    {"WRONGPASS", Trouble::refused},
                                                    {"NOPERM", Trouble::refused},
                                                    {"READONLY", Trouble::refused},
                                                    {"MOVED", Trouble::refused},  // a cluster: not supported
                                                    {"OOM", Trouble::full},
                                                    {"MISCONF", Trouble::full},
                                                    {"LOADING", Trouble::throttled},
                                                    {"BUSY", Trouble::throttled},
                                                    {"TRYAGAIN", Trouble::throttled},
                                                    {"MASTERDOWN", Trouble::throttled}});

// The first word alone: the rest may quote what was sent.
Failure failure_of_reply(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  const auto* known =
      std::find_if(kErrors.begin(), kErrors.end(), [&](const KnownError& one) { return word == one.begins; });
  return {known == kErrors.end() ? Trouble::unreachable : known->trouble, "Redis error " + std::string(word), {}};
}

struct FreeRequest {
  void operator()(char* request) const { redisFreeCommand(request); }
};

std::variant<std::unique_ptr<ByteStream>, Failure> open_stream(const config::RemoteUrl& url, const Limits& limits) {
  const Clock::time_point until = Clock::now() + limits.connect;
  std::string host = url.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  auto opened = host.empty() ? SocketStream::connect_unix(url.path, until)
                             : SocketStream::connect_tcp(host, url.port == 0 ? kPort : url.port, until);
  if (auto* failure = std::get_if<Failure>(&opened)) return std::move(*failure);
  std::unique_ptr<ByteStream> stream = std::move(std::get<std::unique_ptr<SocketStream>>(opened));
  if (!url.tls) return stream;
  auto secured = TlsStream::open(std::move(stream), {host, url.ca_file, url.client_certificate, url.client_key}, until);
  if (auto* failure = std::get_if<Failure>(&secured)) return std::move(*failure);
  return std::move(std::get<std::unique_ptr<TlsStream>>(secured));
}

}  // namespace

void FreeReply::operator()(redisReply* reply) const { freeReplyObject(reply); }

void RedisConnection::FreeReader::operator()(redisReader* reader) const { redisReaderFree(reader); }

RedisConnection::RedisConnection(std::unique_ptr<ByteStream> stream)
    : stream_(std::move(stream)), reader_(redisReaderCreate()) {}

std::variant<std::unique_ptr<RedisConnection>, Failure> RedisConnection::open(const config::RemoteUrl& url,
                                                                              const Limits& limits) {
  auto opened = open_stream(url, limits);
  if (auto* failure = std::get_if<Failure>(&opened)) return std::move(*failure);
  std::unique_ptr<RedisConnection> connection(
      new RedisConnection(std::move(std::get<std::unique_ptr<ByteStream>>(opened))));
  if (!connection->reader_) return Failure{Trouble::unreachable, "out of memory", {}};
  std::vector<std::vector<std::string>> first;
  if (!url.password.empty() && url.user.empty()) first.push_back({"AUTH", url.password});
  if (!url.password.empty() && !url.user.empty()) first.push_back({"AUTH", url.user, url.password});
  if (url.database != 0) first.push_back({"SELECT", std::to_string(url.database)});
  for (const std::vector<std::string>& words : first) {
    auto reply = connection->call(words, limits);
    if (auto* failure = std::get_if<Failure>(&reply)) return std::move(*failure);
  }
  return connection;
}

std::variant<RedisReply, Failure> RedisConnection::call(const std::vector<std::string>& words, const Limits& limits) {
  if (std::optional<Failure> unread = find_unread()) {
    broken_ = closed_ = true;
    return std::move(*unread);
  }
  const TimePoint last = Clock::now() + limits.total;
  if (std::optional<Failure> failure = send(words, limits, last)) return std::move(*failure);
  return receive(limits, last);
}

// Whether something came that was not asked for: the server's end of the connection, or an answer too many. The next
// answer would be taken for this one, and so on for as long as the connection is used. Messages of TLS itself are no
// answer; one that refuses our certificate may come now.
std::optional<Failure> RedisConnection::find_unread() {
  Failure unexpected{Trouble::unreachable, "the connection was closed, or has an answer too many", {}};
  if (reader_->pos < reader_->len) return unexpected;
  std::array<char, 1> first{};
  const State state = stream_->read(first).state;
  if (state == State::wants_read || state == State::wants_write) return std::nullopt;
  return state == State::failed ? stream_->failure() : unexpected;
}

std::optional<Failure> RedisConnection::send(const std::vector<std::string>& words, const Limits& limits,
                                             TimePoint last) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  char* formatted = nullptr;
  const int size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), texts.data(), lengths.data());
  if (size < 0) return broken("cannot send: out of memory");
  const std::unique_ptr<char, FreeRequest> request(formatted);

  const auto stall = std::max(limits.answer, limits.stall);
  TimePoint until = Clock::now() + stall;
  for (std::string_view left(formatted, static_cast<std::size_t>(size)); !left.empty();) {
    const Transfer sent = stream_->write(left);
    if (sent.state == State::moved) {
      left.remove_prefix(sent.size);
      limits.note_sent(sent.size);
      until = Clock::now() + stall;
    } else if (sent.state == State::closed || sent.state == State::failed) {
      return broken("cannot send", sent.state);
    } else if (!wait_for(*stream_, sent.state, std::min(until, last))) {
      return broken("cannot send in time");
    }
  }
  return std::nullopt;
}

std::variant<RedisReply, Failure> RedisConnection::receive(const Limits& limits, TimePoint last) {
  TimePoint until = Clock::now() + limits.answer;
  std::array<char, kReadSize> buffer{};
  for (;;) {
    void* got = nullptr;
    if (redisReaderGetReply(reader_.get(), &got) != REDIS_OK) return broken("an answer that is not Redis's");
    if (RedisReply reply(static_cast<redisReply*>(got)); reply) {
      if (reply->type == REDIS_REPLY_ERROR) return failure_of_reply({reply->str, reply->len});
      return reply;
    }
    const Transfer read = stream_->read(buffer);
    if (read.state == State::closed || read.state == State::failed) return broken("the connection broke", read.state);
    if (read.state == State::moved) {
      if (redisReaderFeed(reader_.get(), buffer.data(), read.size) != REDIS_OK) return broken("out of memory");
      until = Clock::now() + limits.stall;
      if (Clock::now() < last) continue;
    }
    if (read.state == State::moved || !wait_for(*stream_, read.state, std::min(until, last)))
      return broken("no answer in time");
  }
}

Failure RedisConnection::broken(const std::string& what) {
  broken_ = true;
  return {Trouble::unreachable, what, {}};
}

Failure RedisConnection::broken(const std::string& what, Transfer::State state) {
  broken_ = true;
  closed_ = state == State::closed;
  const Failure& why = stream_->failure();
  return {why.trouble, what + ": " + why.message, {}};
}

}  // namespace hipcache::remote
