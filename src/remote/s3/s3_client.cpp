#include "remote/s3/s3_client.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "remote/layout/sha256.h"
#include "remote/s3/s3_failure.h"
#include "remote/s3/xml_text.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kErrorLimit = 64u << 10;  // of an answer that may be an error's document

HttpOptions options_of(const config::RemoteUrl& url, const Variables& variables) {
  return {.ca_file = url.ca_file.empty() ? variables("AWS_CA_BUNDLE") : url.ca_file,
          .client_certificate = url.client_certificate,
          .client_key = url.client_key};
}

// A wait for credentials takes its time from that for the connection, so that both together keep the tier's limits.
Limits without(Limits limits, std::chrono::steady_clock::duration waited) {
  constexpr std::chrono::milliseconds kLeast{1};
  limits.connect = std::max(kLeast, limits.connect - std::chrono::duration_cast<std::chrono::milliseconds>(waited));
  return limits;
}

}  // namespace

S3Client::S3Client(const config::RemoteUrl& url, Variables variables, AccessSource::WallClock now)
    : now_(std::move(now)), client_(options_of(url, variables)), source_(url, std::move(variables), now_) {}

std::variant<HttpResponse, Failure> S3Client::send(const S3Request& request, const Limits& limits) {
  bool has_set_clock = false;
  bool has_renewed = false;
  const auto start = std::chrono::steady_clock::now();
  Result<S3AccessPtr> access = source_.get(limits.connect);
  const Limits left = without(limits, std::chrono::steady_clock::now() - start);
  for (;;) {
    if (!access) {
      const bool may_pass = access.error().code == ErrorCode::timed_out;
      return Failure{may_pass ? Trouble::unreachable : Trouble::refused, access.error().message, {}};
    }
    auto sent = send_once(request, **access, left);
    const auto* response = std::get_if<HttpResponse>(&sent);
    if (response == nullptr || response->status < 400) return sent;
    const std::string code = error_code_of(response->body);
    if (code == "RequestTimeTooSkewed" && response->date && !std::exchange(has_set_clock, true)) {
      clock_offset_ = std::chrono::duration_cast<std::chrono::seconds>(*response->date - now_()).count();
      continue;
    }
    if (!is_expired(code) || std::exchange(has_renewed, true)) return sent;
    const auto patience = request.may_wait ? limits.answer : std::chrono::milliseconds(0);
    S3AccessPtr other = source_.renewed(*access, patience);
    if (!other || !request.may_wait) return sent;  // the next look-up has the new ones
    access = std::move(other);
  }
}

std::variant<HttpResponse, Failure> S3Client::send_once(const S3Request& request, const S3Access& access,
                                                        const Limits& limits) {
  const S3Address& address = access.address;
  const std::string_view body = request.body == nullptr ? std::string_view() : *request.body;
  HttpRequest http{.method = request.method,
                   .url = address.origin + address.root + request.name,
                   .headers = {},
                   .body = request.body,
                   .most = std::max(request.most, kErrorLimit)};
  UnsignedRequest to_sign{.method = request.method,
                          .path = address.root + request.name,
                          .headers = request.conditions,
                          .payload = hex_of(sha256(body))};
  const SigningScope scope{.region = address.region, .time = server_time()};
  if (access.credentials) {
    to_sign.headers.emplace_back("x-amz-date", amz_date(scope.time));
    to_sign.headers.emplace_back("x-amz-content-sha256", to_sign.payload);
    if (!access.credentials->session_token.empty())
      to_sign.headers.emplace_back("x-amz-security-token", access.credentials->session_token);
  }
  for (const auto& [name, value] : to_sign.headers) http.headers.emplace_back(name).append(": ").append(value);
  if (access.credentials) {
    to_sign.headers.emplace_back("host", address.host);  // curl sends it by itself
    http.headers.push_back("Authorization: " + authorization_of(to_sign, scope, *access.credentials));
  }
  auto sent = client_.send(http, limits);
  const auto* response = std::get_if<HttpResponse>(&sent);
  if (response != nullptr && response->status == 200 && response->body.size() > request.most)
    return Failure{Trouble::damaged, "a value exceeds its limit", {}};
  return sent;
}

}  // namespace hipcache::remote
