#include "remote/backends/redis_store.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "remote/transport/pool.h"

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

constexpr int kRoundsOfChange = 16;

class RedisStore : public KeyValue {
 public:
  explicit RedisStore(config::RemoteUrl url) : url_(std::move(url)) {}

  // GETRANGE, because the server cuts what exceeds the limit. It gives "" for a key that does not exist.
  Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& limits) override {
    return with_connection<std::string>(limits, [&](RedisConnection& connection) -> Answer<std::string> {
      return get_by(connection, name, most, limits);
    });
  }

  Answer<bool> has(const std::string& name, const Limits& limits) override {
    return with_connection<bool>(limits, [&](RedisConnection& connection) -> Answer<bool> {
      auto reply = connection.call({"EXISTS", key_of(name)}, limits);
      if (auto* failure = std::get_if<Failure>(&reply)) return {std::move(*failure)};
      return {std::get<RedisReply>(reply)->integer != 0, 0};
    });
  }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& limits) override {
    return with_connection<Written>(limits, [&](RedisConnection& connection) -> WriteAnswer {
      auto reply = connection.call({"SET", key_of(name), value}, limits);
      if (auto* failure = std::get_if<Failure>(&reply)) return {std::move(*failure)};
      return {Written{}, value.size()};
    });
  }

  WriteAnswer change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits) override {
    return with_connection<Written>(limits, [&](RedisConnection& connection) -> WriteAnswer {
      for (int round = 0; round < kRoundsOfChange; ++round) {
        auto watched = connection.call({"WATCH", key_of(name)}, limits);
        if (auto* failure = std::get_if<Failure>(&watched)) return {std::move(*failure)};
        Answer<std::string> present = get_by(connection, name, most, limits);
        if (present.failure && present.failure->trouble != Trouble::damaged) return {*present.failure};
        const std::optional<std::string> next = change(present.value);
        if (!next) return unwatched(connection, limits);
        auto ended = exchange(connection, name, *next, limits);
        if (auto* failure = std::get_if<Failure>(&ended)) return {std::move(*failure)};
        if (std::get<bool>(ended)) return {Written{}, next->size()};
      }
      return {Failure{Trouble::throttled, "a list that others change all the time", {}}};
    });
  }

 private:
  static std::string key_of(const std::string& name) { return "hipcache/" + name; }

  static Answer<std::string> get_by(RedisConnection& connection, const std::string& name, std::uint64_t most,
                                    const Limits& limits) {
    auto reply = connection.call({"GETRANGE", key_of(name), "0", std::to_string(most)}, limits);
    if (auto* failure = std::get_if<Failure>(&reply)) return {std::move(*failure)};
    const redisReply& got = *std::get<RedisReply>(reply);
    if (got.type != REDIS_REPLY_STRING) return {Failure{Trouble::damaged, "an answer that is no value", {}}};
    if (got.len == 0) return {};
    if (got.len > most) return {Failure{Trouble::damaged, "a value exceeds its limit", {}}};
    return {std::string(got.str, got.len), got.len};
  }

  static WriteAnswer unwatched(RedisConnection& connection, const Limits& limits) {
    auto reply = connection.call({"UNWATCH"}, limits);
    if (auto* failure = std::get_if<Failure>(&reply)) return {std::move(*failure)};
    return {};
  }

  // False if the key has changed since it was watched.
  static std::variant<bool, Failure> exchange(RedisConnection& connection, const std::string& name,
                                              const std::string& value, const Limits& limits) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"MULTI"}, std::vector<std::string>{"SET", key_of(name), value}}) {
      auto reply = connection.call(words, limits);
      if (auto* failure = std::get_if<Failure>(&reply)) return std::move(*failure);
    }
    auto reply = connection.call({"EXEC"}, limits);
    if (auto* failure = std::get_if<Failure>(&reply)) return std::move(*failure);
    return std::get<RedisReply>(reply)->type == REDIS_REPLY_ARRAY;
  }

  // Runs the work over a connection. If a kept one proves to be broken, which a server that was restarted does, once
  // more over a new one.
  template <typename T, typename Work>
  Answer<T> with_connection(const Limits& limits, const Work& work) {
    if (std::unique_ptr<RedisConnection> kept = pool_.take()) {
      Answer<T> answer = work(*kept);
      if (!kept->is_broken()) return put_back(std::move(kept), std::move(answer));
      if (!kept->was_closed()) return answer;
    }
    auto opened = RedisConnection::open(url_, limits);
    if (auto* failure = std::get_if<Failure>(&opened)) return {std::move(*failure)};
    auto& connection = std::get<std::unique_ptr<RedisConnection>>(opened);
    Answer<T> answer = work(*connection);
    if (connection->is_broken()) return answer;
    return put_back(std::move(connection), std::move(answer));
  }

  // After a failure, the connection may be in the middle of a transaction.
  template <typename T>
  Answer<T> put_back(std::unique_ptr<RedisConnection> connection, Answer<T> answer) {
    if (!answer.failure) pool_.put_back(std::move(connection));
    return answer;
  }

  const config::RemoteUrl url_;
  Pool<RedisConnection> pool_;
};

}  // namespace

void FreeReply::operator()(redisReply* reply) const { freeReplyObject(reply); }

void RedisConnection::FreeReader::operator()(redisReader* reader) const { redisReaderFree(reader); }

RedisConnection::RedisConnection(std::unique_ptr<ByteStream> stream)
    : stream_(std::move(stream)), reader_(redisReaderCreate()) {}

std::variant<std::unique_ptr<RedisConnection>, Failure> RedisConnection::open(const config::RemoteUrl& url,
                                                                              const Limits& limits) {
  auto opened = ByteStream::open({.host = url.host,
                                  .port = url.port == 0 ? kPort : url.port,
                                  .path = url.path,
                                  .tls = url.tls,
                                  .files = {url.ca_file, url.client_certificate, url.client_key}},
                                 std::min(Clock::now() + limits.connect, limits.until));
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
  const TimePoint last = limits.last();
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
    } else if (!stream_->wait_for(sent.state, std::min(until, last))) {
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
    if (read.state == State::moved || !stream_->wait_for(read.state, std::min(until, last)))
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

std::unique_ptr<KeyValue> make_redis_store(const config::RemoteUrl& url) { return std::make_unique<RedisStore>(url); }

}  // namespace hipcache::remote
