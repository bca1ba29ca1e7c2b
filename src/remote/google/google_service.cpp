#include "remote/objects/object_service.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "remote/google/google_token.h"
#include "remote/http/http_client.h"
#include "remote/objects/credential_server.h"

namespace hipcache::remote {
namespace {

using Kind = ObjectRequest::Kind;

constexpr const char* kServer = "https://storage.googleapis.com";

// Beside what the statuses say.
constexpr auto kMeanings = std::to_array<CodeMeaning>({
    {"authError", Trouble::unreachable},  // may pass: credentials are searched for again
    {"forbidden", Trouble::refused, "the credentials lack a right that docs/remote.md names"},
    {"rateLimitExceeded", Trouble::throttled},
    {"userRateLimitExceeded", Trouble::throttled},
    {"quotaExceeded", Trouble::throttled},
    {"uploadTooLarge", Trouble::full},
});

// "forbidden", out of {"error": {"errors": [{"reason": "forbidden"}]}}. An answer may be a text instead.
std::string reason_of(const HttpResponse& response) {
  const nlohmann::json answer = nlohmann::json::parse(response.body, nullptr, false);
  const auto reason = nlohmann::json::json_pointer("/error/errors/0/reason");
  if (!answer.is_object() || !answer.contains(reason) || !answer.at(reason).is_string()) return "";
  return shown_code(answer.at(reason).get<std::string>());
}

// A missing object and a missing bucket have the same status and reason.
bool lacks_bucket(const ObjectRequest& request, const HttpResponse& response) {
  return response.status == 404 &&
         (request.kind == Kind::put || response.body.find("bucket does not exist") != std::string::npos);
}

class GoogleAccess : public Access {
 public:
  GoogleAccess(const config::RemoteUrl& url, BearerToken token)
      : Access(token.expires),
        origin_(url.endpoint.empty() ? kServer : url.endpoint),
        bucket_("/storage/v1/b/" + url_escaped(url.host) + "/o"),
        root_(url.path.empty() ? "" : url.path.substr(1) + "/"),
        token_(std::move(token.text)) {}

  std::string identity() const override { return token_; }

  HttpRequest signed_request(const ObjectRequest& request, SystemTime /*now*/) const override {
    const std::string name = form_value(root_ + request.name);
    HttpRequest http{.method = "GET", .url = origin_ + bucket_ + "/" + name, .headers = {}};
    if (request.kind == Kind::get) http.url += "?alt=media";
    if (request.kind == Kind::has) http.url += "?fields=generation";
    if (request.kind == Kind::put) {
      http.method = "POST";
      http.url = origin_ + "/upload" + bucket_ + "?uploadType=media&name=" + name;
      http.headers.emplace_back("Content-Type: application/octet-stream");
      // Generation 0: there is no such object.
      if (request.only_if)
        http.url += "&ifGenerationMatch=" + (request.only_if->empty() ? "0" : form_value(*request.only_if));
    }
    if (!token_.empty()) http.headers.push_back("Authorization: Bearer " + token_);
    return http;
  }

 private:
  const std::string origin_, bucket_;
  const std::string root_;   // before all names; not escaped
  const std::string token_;  // empty: requests are not signed
};

class GoogleService : public ObjectService {
 public:
  GoogleService(config::RemoteUrl url, World world) : url_(std::move(url)), world_(std::move(world)) {}

  Result<AccessPtr> find_access() const override {
    BearerToken token;
    if (url_.is_signed) {
      Result<BearerToken> found =
          find_google_token({.credentials_file = url_.credentials_file, .writes = url_.writes}, world_);
      if (!found) return found.error();
      token = std::move(*found);
    }
    return AccessPtr(std::make_shared<GoogleAccess>(url_, std::move(token)));
  }

  HttpOptions http_options() const override {
    return {.ca_file = url_.ca_file, .client_certificate = url_.client_certificate, .client_key = url_.client_key};
  }

  Meaning meaning_of(const ObjectRequest& request, const HttpResponse& response) const override {
    if (response.status == 401) return Meaning::ended;
    if (response.status == 412 || (response.status == 409 && request.kind == Kind::put)) return Meaning::came_second;
    return response.status == 404 && !lacks_bucket(request, response) ? Meaning::absent : Meaning::failure;
  }

  Failure failure_of(const ObjectRequest& request, const HttpResponse& response) const override {
    Failure failure = failure_of_code(response, reason_of(response), kMeanings);
    if (!lacks_bucket(request, response)) return failure;
    failure.trouble = Trouble::refused;
    failure.message += "; the bucket does not exist";
    return failure;
  }

  std::string tag_of(const HttpResponse& response) const override { return response.header("x-goog-generation"); }

 private:
  const config::RemoteUrl url_;
  const World world_;
};

}  // namespace

std::unique_ptr<const ObjectService> make_google_service(const config::RemoteUrl& url, World world) {
  return std::make_unique<GoogleService>(url, std::move(world));
}

}  // namespace hipcache::remote
