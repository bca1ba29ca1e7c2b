#include "remote/objects/object_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "remote/http/http_failure.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kErrorLimit = 64u << 10;  // of an answer that may be an error's document

// A wait for credentials takes its time from that for the connection, so that both together keep the tier's limits.
Limits without(Limits limits, std::chrono::steady_clock::duration waited) {
  constexpr std::chrono::milliseconds kLeast{1};
  limits.connect = std::max(kLeast, limits.connect - std::chrono::duration_cast<std::chrono::milliseconds>(waited));
  return limits;
}

}  // namespace

ObjectClient::ObjectClient(std::unique_ptr<const ObjectService> service, std::function<SystemTime()> now)
    : service_(std::move(service)), now_(std::move(now)), client_(service_->http_options()), source_(*service_, now_) {}

std::variant<HttpResponse, Failure> ObjectClient::send(const ObjectRequest& request, const Limits& limits) {
  bool has_set_clock = false;
  bool has_renewed = false;
  const auto start = std::chrono::steady_clock::now();
  Result<AccessPtr> access = source_.get(limits.connect);
  const Limits left = without(limits, std::chrono::steady_clock::now() - start);
  for (;;) {
    if (!access) {
      const bool may_pass = access.error().code == ErrorCode::timed_out;
      return Failure{may_pass ? Trouble::unreachable : Trouble::refused, access.error().message, {}};
    }
    auto sent = send_once(request, **access, left);
    const auto* response = std::get_if<HttpResponse>(&sent);
    if (response == nullptr || is_success(response->status)) return sent;
    const Meaning meaning = service_->meaning_of(request, *response);
    const bool is_clock_wrong =
        meaning == Meaning::wrong_clock || (meaning == Meaning::unproved && response->date && is_far(*response->date));
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

std::variant<HttpResponse, Failure> ObjectClient::send_once(const ObjectRequest& request, const Access& access,
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

}  // namespace hipcache::remote
