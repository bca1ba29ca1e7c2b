#include "remote/backends/redis_connection.h"

#include <hiredis/hiredis.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>

namespace hipcache::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kPort = 6379;

timeval timeval_of(milliseconds limit) { return {limit.count() / 1000, limit.count() % 1000 * 1000}; }

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

// Waits until there is something to read, at most until then.
bool is_readable(int fd, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    pollfd waited{fd, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

}  // namespace

void FreeReply::operator()(redisReply* reply) const { freeReplyObject(reply); }

RedisConnection::~RedisConnection() { redisFree(context_); }

std::variant<std::unique_ptr<RedisConnection>, Failure> RedisConnection::open(const config::RemoteUrl& url,
                                                                              const Limits& limits) {
  const timeval limit = timeval_of(limits.connect);
  std::string host = url.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  redisContext* context = host.empty() ? redisConnectUnixWithTimeout(url.path.c_str(), limit)
                                       : redisConnectWithTimeout(host.c_str(), url.port == 0 ? kPort : url.port, limit);
  if (context == nullptr) return Failure{Trouble::unreachable, "out of memory", {}};
  std::unique_ptr<RedisConnection> connection(new RedisConnection(context));
  if (context->err != 0) return connection->broken("cannot connect");
  redisSetTimeout(context, timeval_of(std::max(limits.answer, limits.stall)));  // for sending
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

// Whether something came that was not asked for: the server's end of the connection, or an answer too many. The next
// answer would be taken for this one, and so on for as long as the connection is used.
bool RedisConnection::has_unread() const {
  return context_->reader->pos < context_->reader->len || is_readable(context_->fd, Clock::now());
}

std::variant<RedisReply, Failure> RedisConnection::call(const std::vector<std::string>& words, const Limits& limits) {
  if (has_unread()) {
    broken_ = closed_ = true;
    return Failure{Trouble::unreachable, "the connection was closed, or has an answer too many", {}};
  }
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  if (redisAppendCommandArgv(context_, static_cast<int>(words.size()), texts.data(), lengths.data()) != REDIS_OK)
    return broken("cannot send");
  for (int sent = 0; sent == 0;)
    if (redisBufferWrite(context_, &sent) != REDIS_OK) return broken("cannot send");

  const Clock::time_point last = Clock::now() + limits.total;
  Clock::time_point until = Clock::now() + limits.answer;
  for (;;) {
    void* got = nullptr;
    if (redisGetReplyFromReader(context_, &got) != REDIS_OK) return broken("an answer that is not Redis's");
    if (RedisReply reply(static_cast<redisReply*>(got)); reply) {
      if (reply->type == REDIS_REPLY_ERROR) return failure_of_reply({reply->str, reply->len});
      return reply;
    }
    if (!is_readable(context_->fd, std::min(until, last))) return broken("no answer in time");
    if (redisBufferRead(context_) != REDIS_OK) return broken("the connection broke");
    until = Clock::now() + limits.stall;
  }
}

Failure RedisConnection::broken(const std::string& what) {
  broken_ = true;
  closed_ =
      context_->err == REDIS_ERR_EOF || (context_->err == REDIS_ERR_IO && (errno == EPIPE || errno == ECONNRESET));
  return {Trouble::unreachable, context_->err != 0 ? what + ": " + context_->errstr : what, {}};
}

}  // namespace hipcache::remote
