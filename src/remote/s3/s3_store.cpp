#include "remote/s3/s3_store.h"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <utility>

#include "remote/http/http_failure.h"
#include "remote/s3/s3_client.h"
#include "remote/s3/s3_failure.h"
#include "remote/s3/xml_text.h"

namespace hipcache::remote {
namespace {

constexpr int kRoundsOfChange = 16;

bool is_absent(const HttpResponse& response) {
  return (response.status == 404 || response.status == 410) && error_code_of(response.body) != "NoSuchBucket";
}

// Another writer came first: 412, or 409 while that one still writes. 404: what was to be replaced is gone.
bool came_second(const HttpResponse& response) {
  return response.status == 412 || response.status == 409 || is_absent(response);
}

bool knows_no_conditions(const HttpResponse& response) {
  return response.status == 501 || (response.status == 400 && error_code_of(response.body) == "NotImplemented");
}

class S3Store : public KeyValue {
 public:
  S3Store(const config::RemoteUrl& url, S3World world)
      : client_(url, std::move(world.variables), std::move(world.now)) {}

  Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& limits) override {
    return get_with_tag(name, most, limits, false).value;
  }

  // An answer to HEAD has no body that says why. So what the server refuses counts as absent, and PUT tells.
  Answer<bool> has(const std::string& name, const Limits& limits) override {
    auto sent = client_.send({.method = "HEAD", .name = name, .conditions = {}, .may_wait = true}, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    const auto& response = std::get<HttpResponse>(sent);
    if (response.status == 200) return {true, 0};
    if (response.status >= 400 && response.status < 500 && response.status != 429) return {false, 0};
    return {failure_of_s3(response)};
  }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& limits) override {
    auto sent = put_if(name, value, {}, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    const auto& response = std::get<HttpResponse>(sent);
    if (!is_success(response.status)) return {failure_of_s3(response)};
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
      const std::optional<Headers> conditions = conditions_for(present);
      if (!conditions) return KeyValue::change(name, most, change, limits);
      auto sent = put_if(name, *next, *conditions, limits);
      if (auto* trouble = std::get_if<Failure>(&sent)) return {std::move(*trouble)};
      const auto& response = std::get<HttpResponse>(sent);
      if (is_success(response.status)) {
        prove_comparing(name, *next, limits);
        WriteAnswer again = compares_ ? WriteAnswer() : KeyValue::change(name, most, change, limits);
        return again.failure ? std::move(again) : WriteAnswer(Written{}, next->size() + again.bytes);
      }
      if (knows_no_conditions(response))
        compares_ = false;
      else if (!came_second(response))
        return {failure_of_s3(response)};
    }
    if (compares_ && has_proved_) return {Failure{Trouble::throttled, "a list that others change all the time", {}}};
    compares_ = false;  // a server that met no condition in so many rounds does not compare as S3 does
    return KeyValue::change(name, most, change, limits);
  }

 private:
  struct Tagged {
    Answer<std::string> value;
    bool exists = false;
    std::string tag;
  };

  Tagged get_with_tag(const std::string& name, std::uint64_t most, const Limits& limits, bool may_wait) {
    auto sent =
        client_.send({.method = "GET", .name = name, .conditions = {}, .most = most, .may_wait = may_wait}, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) {
      const bool exists = failure->trouble == Trouble::damaged;
      return {.value = {std::move(*failure)}, .exists = exists, .tag = {}};
    }
    auto& response = std::get<HttpResponse>(sent);
    if (is_absent(response)) return {};
    if (response.status != 200) return {.value = {failure_of_s3(response)}, .exists = true, .tag = {}};
    Tagged got{.value = {}, .exists = true, .tag = std::move(response.etag)};
    const std::uint64_t size = response.body.size();
    if (response.body.empty())
      got.value = {Failure{Trouble::damaged, "an empty answer with status 200", {}}};
    else
      got.value = {std::move(response.body), size};
    return got;
  }

  std::variant<HttpResponse, Failure> put_if(const std::string& name, const std::string& value, Headers conditions,
                                             const Limits& limits) {
    return client_.send(
        {.method = "PUT", .name = name, .body = &value, .conditions = std::move(conditions), .may_wait = true}, limits);
  }

  // Nothing if the server gave no tag to compare.
  std::optional<Headers> conditions_for(const Tagged& present) const {
    if (!present.exists) return Headers{{"If-None-Match", "*"}};
    if (present.tag.empty()) return std::nullopt;
    return Headers{{"If-Match", present.tag}};
  }

  // Writes what was just written once more, on the condition that it does not exist. A server that takes it does not
  // compare. Once for each process; if there is no clear answer, the next list proves it.
  void prove_comparing(const std::string& name, const std::string& value, const Limits& limits) {
    if (has_proved_) return;
    const auto sent = put_if(name, value, {{"If-None-Match", "*"}}, limits);
    const auto* response = std::get_if<HttpResponse>(&sent);
    if (response == nullptr) return;
    if (response->status == 412) has_proved_ = true;
    if (is_success(response->status) || knows_no_conditions(*response)) compares_ = false;
  }

  S3Client client_;
  std::atomic<bool> compares_ = true;
  std::atomic<bool> has_proved_ = false;
};

}  // namespace

S3World this_process() {
  return {.variables =
              [](const char* name) {
                const char* value = std::getenv(name);
                return std::string(value == nullptr ? "" : value);
              },
          .now = [] { return std::chrono::system_clock::now(); }};
}

std::unique_ptr<KeyValue> make_s3_store(const config::RemoteUrl& url, S3World world) {
  return std::make_unique<S3Store>(url, std::move(world));
}

}  // namespace hipcache::remote
