#include "remote/objects/object_service.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "remote/objects/access_source.h"
#include "remote/transport/http_client.h"

namespace hipcache::remote {

namespace {

using Kind = ObjectRequest::Kind;

using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t kErrorLimit = 64u << 10;  // of an answer that may be an error's document

// A wait for credentials takes its time from that for the connection, so that both together keep the tier's limits.
Limits without(Limits limits, SteadyClock::duration waited) {
  constexpr std::chrono::milliseconds kLeast{1};
  limits.connect = std::max(kLeast, limits.connect - std::chrono::duration_cast<std::chrono::milliseconds>(waited));
  return limits;
}

// Sends signed requests to an object service. Thread-safe.
//
// A clock that is wrong is refused by services that sign the time: then the server's clock counts, and the request is
// sent once more. If the server says that credentials have ended, they are searched for again; a write waits for that
// and is sent once more, a look-up is a miss.
class ObjectClient {
 public:
  ObjectClient(std::unique_ptr<const ObjectService> service, std::function<SystemTime()> now)
      : service_(std::move(service)),
        now_(std::move(now)),
        client_(service_->http_options()),
        source_(*service_, now_) {}

  const ObjectService& service() const { return *service_; }

  // Any status. A failure has no secret, and nothing that the server wrote.
  std::variant<HttpResponse, Failure> send(const ObjectRequest& request, const Limits& limits) {
    bool has_set_clock = false;
    bool has_renewed = false;
    const auto start = SteadyClock::now();
    Result<AccessPtr> access = source_.get(limits.connect);
    const Limits left = without(limits, SteadyClock::now() - start);
    for (;;) {
      if (!access) {
        const bool may_pass = access.error().code == ErrorCode::timed_out;
        return Failure{may_pass ? Trouble::unreachable : Trouble::refused, access.error().message, {}};
      }
      auto sent = send_once(request, **access, left);
      const auto* response = std::get_if<HttpResponse>(&sent);
      if (response == nullptr || is_success(response->status)) return sent;
      const Meaning meaning = service_->meaning_of(request, *response);
      const bool is_clock_wrong = meaning == Meaning::wrong_clock ||
                                  (meaning == Meaning::unproved && response->date && is_far(*response->date));
      if (is_clock_wrong && response->date && !std::exchange(has_set_clock, true)) {
        clock_offset_ = std::chrono::duration_cast<std::chrono::seconds>(*response->date - now_()).count();
        continue;
      }
      const bool may_be_renewed = meaning == Meaning::ended || meaning == Meaning::unproved;
      if (!may_be_renewed || std::exchange(has_renewed, true)) return sent;
      const auto patience = request.may_wait ? limits.answer : std::chrono::milliseconds(0);
      AccessPtr other = source_.renewed(*access, patience);
      if (!other || !request.may_wait) return sent;  // the next look-up has the new ones
      access = std::move(other);
    }
  }

 private:
  std::variant<HttpResponse, Failure> send_once(const ObjectRequest& request, const Access& access,
                                                const Limits& limits) {
    HttpRequest http = access.signed_request(request, server_time());
    http.body = request.body;
    http.most = std::max(request.most, kErrorLimit);
    auto sent = client_.send(http, limits);
    const auto* response = std::get_if<HttpResponse>(&sent);
    if (response != nullptr && response->status == 200 && request.kind == ObjectRequest::Kind::get &&
        response->body.size() > request.most)
      return Failure{Trouble::damaged, "a value exceeds its limit", {}};
    return sent;
  }

  SystemTime server_time() const { return now_() + std::chrono::seconds(clock_offset_); }
  // Further than services allow.
  bool is_far(SystemTime time) const { return std::chrono::abs(time - server_time()) > std::chrono::minutes(10); }

  const std::unique_ptr<const ObjectService> service_;
  const std::function<SystemTime()> now_;
  HttpClient client_;
  AccessSource source_;
  std::atomic<std::int64_t> clock_offset_ = 0;  // seconds that the server's clock is ahead of ours
};

constexpr int kRoundsOfChange = 16;

class ObjectStore : public KeyValue {
 public:
  ObjectStore(std::unique_ptr<const ObjectService> service, std::function<SystemTime()> now)
      : client_(std::move(service), std::move(now)) {}

  Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& limits) override {
    return get_with_tag(name, most, limits, false).value;
  }

  // An answer to HEAD has no body that says why. So what the server refuses counts as absent, and PUT tells.
  Answer<bool> has(const std::string& name, const Limits& limits) override {
    const ObjectRequest request{.kind = Kind::has, .name = name, .may_wait = true};
    auto sent = client_.send(request, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    const auto& response = std::get<HttpResponse>(sent);
    if (response.status == 200) return {true, 0};
    if (response.status >= 400 && response.status < 500 && response.status != 429) return {false, 0};
    return {service().failure_of(request, response)};
  }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& limits) override {
    const ObjectRequest request{.kind = Kind::put, .name = name, .body = &value, .may_wait = true};
    auto sent = client_.send(request, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    const auto& response = std::get<HttpResponse>(sent);
    if (!is_success(response.status)) return {service().failure_of(request, response)};
    return {Written{}, value.size()};
  }

  WriteAnswer change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits) override {
    for (int round = 0; round < kRoundsOfChange && compares_; ++round) {
      if (round > 0) wait_a_moment();
      const Tagged present = get_with_tag(name, most, limits, true);
      const auto& failure = present.value.failure;
      // A damaged or oversized list is begun anew.
      if (failure && failure->trouble != Trouble::damaged) return {*failure};
      const std::optional<std::string> next = change(present.value.value);
      if (!next) return {};
      // Without a tag there is nothing to compare.
      if (present.exists && present.tag.empty()) return KeyValue::change(name, most, change, limits);
      const ObjectRequest request{
          .kind = Kind::put, .name = name, .body = &*next, .only_if = present.tag, .may_wait = true};
      auto sent = client_.send(request, limits);
      if (auto* trouble = std::get_if<Failure>(&sent)) return {std::move(*trouble)};
      const auto& response = std::get<HttpResponse>(sent);
      if (is_success(response.status)) {
        prove_comparing(request, limits);
        WriteAnswer again = compares_ ? WriteAnswer() : KeyValue::change(name, most, change, limits);
        return again.failure ? std::move(again) : WriteAnswer(Written{}, next->size() + again.bytes);
      }
      const Meaning meaning = service().meaning_of(request, response);
      if (meaning == Meaning::no_conditions)
        compares_ = false;
      else if (meaning != Meaning::came_second)
        return {service().failure_of(request, response)};
    }
    if (compares_ && has_proved_) return {Failure{Trouble::throttled, "a list that others change all the time", {}}};
    compares_ = false;  // a server that met no condition in so many rounds does not compare
    return KeyValue::change(name, most, change, limits);
  }

 private:
  struct Tagged {
    Answer<std::string> value;
    bool exists = false;
    std::string tag;
  };

  const ObjectService& service() const { return client_.service(); }

  Tagged get_with_tag(const std::string& name, std::uint64_t most, const Limits& limits, bool may_wait) {
    const ObjectRequest request{.kind = Kind::get, .name = name, .most = most, .may_wait = may_wait};
    auto sent = client_.send(request, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) {
      const bool exists = failure->trouble == Trouble::damaged;
      return {.value = {std::move(*failure)}, .exists = exists, .tag = {}};
    }
    auto& response = std::get<HttpResponse>(sent);
    if (response.status != 200) {
      if (service().meaning_of(request, response) == Meaning::absent) return {};
      return {.value = {service().failure_of(request, response)}, .exists = true, .tag = {}};
    }
    Tagged got{.value = {}, .exists = true, .tag = service().tag_of(response)};
    const std::uint64_t size = response.body.size();
    if (response.body.empty())
      got.value = {Failure{Trouble::damaged, "an empty answer with status 200", {}}};
    else
      got.value = {std::move(response.body), size};
    return got;
  }

  // Writes what was just written once more, on the condition that it does not exist. A server that takes it does not
  // compare. Once for each process; if there is no clear answer, the next list proves it.
  void prove_comparing(ObjectRequest request, const Limits& limits) {
    if (has_proved_) return;
    request.only_if = "";
    const auto sent = client_.send(request, limits);
    const auto* response = std::get_if<HttpResponse>(&sent);
    if (response == nullptr) return;
    const bool was_taken = is_success(response->status);
    const Meaning meaning = was_taken ? Meaning::no_conditions : service().meaning_of(request, *response);
    if (meaning == Meaning::came_second) has_proved_ = true;
    if (meaning == Meaning::no_conditions) compares_ = false;
  }

  ObjectClient client_;
  std::atomic<bool> compares_ = true;
  std::atomic<bool> has_proved_ = false;
};

}  // namespace

std::unique_ptr<KeyValue> make_object_store(std::unique_ptr<const ObjectService> service,
                                            std::function<SystemTime()> now) {
  return std::make_unique<ObjectStore>(std::move(service), std::move(now));
}

}  // namespace hipcache::remote
