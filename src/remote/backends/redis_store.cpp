#include "remote/backends/redis_store.h"

#include <hiredis/hiredis.h>

#include <utility>

#include "remote/backends/redis_connection.h"
#include "remote/http/pool.h"

namespace hipcache::remote {
namespace {

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

std::unique_ptr<KeyValue> make_redis_store(const config::RemoteUrl& url) { return std::make_unique<RedisStore>(url); }

}  // namespace hipcache::remote
