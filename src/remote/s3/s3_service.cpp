#include "remote/s3/s3_service.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <string_view>
#include <utility>

#include "remote/http/http_client.h"
#include "remote/layout/sha256.h"
#include "remote/objects/credential_server.h"
#include "remote/objects/object_service.h"
#include "remote/s3/aws_settings.h"
#include "remote/s3/credential_chain.h"

namespace hipcache::remote {

namespace {

constexpr const char* kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t kDay = 8;  // the letters of "20130524" in a date

std::string in_small_letters(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

// Without blanks around it, and with one for several within.
std::string with_single_blanks(std::string_view text) {
  std::string trimmed;
  for (const char letter : text) {
    if (letter == ' ' && (trimmed.empty() || trimmed.back() == ' ')) continue;
    trimmed += letter;
  }
  if (trimmed.ends_with(' ')) trimmed.pop_back();
  return trimmed;
}

// Sorted by name; the values of one name in their order.
std::map<std::string, std::string> canonical_headers(const Headers& headers) {
  std::map<std::string, std::string> canonical;
  for (const auto& [name, value] : headers) {
    const auto [known, is_new] = canonical.try_emplace(in_small_letters(name), with_single_blanks(value));
    if (!is_new) known->second += "," + with_single_blanks(value);
  }
  return canonical;
}

std::string names_of(const std::map<std::string, std::string>& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names.append(names.empty() ? "" : ";").append(name);
  return names;
}

std::string signing_key(const std::string& day, const SigningScope& scope, const AwsCredentials& credentials) {
  const std::string of_day = hmac_sha256("AWS4" + credentials.secret_key, day);
  return hmac_sha256(hmac_sha256(hmac_sha256(of_day, scope.region), scope.service), "aws4_request");
}

}  // namespace

std::string amz_date(SystemTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::string text(sizeof "20130524T000000Z", '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts));
  return text;
}

std::string authorization_of(const UnsignedRequest& request, const SigningScope& scope,
                             const AwsCredentials& credentials) {
  const std::map<std::string, std::string> headers = canonical_headers(request.headers);
  const std::string signed_headers = names_of(headers);
  std::string canonical = request.method + "\n" + request.path + "\n\n";
  for (const auto& [name, value] : headers) canonical.append(name).append(":").append(value).append("\n");
  canonical += "\n" + signed_headers + "\n" + request.payload;

  const std::string date = amz_date(scope.time);
  const std::string day = date.substr(0, kDay);
  const std::string place = day + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign = std::string(kAlgorithm) + "\n" + date + "\n" + place + "\n" + hex_of(sha256(canonical));
  return std::string(kAlgorithm) + " Credential=" + credentials.access_key + "/" + place +
         ", SignedHeaders=" + signed_headers +
         ", Signature=" + hex_of(hmac_sha256(signing_key(day, scope, credentials), to_sign));
}

namespace {

// Beside what the statuses say: 403 is refused, 503 throttled, 413 full, others unreachable.
constexpr auto kMeanings = std::to_array<CodeMeaning>({
    {"ExpiredToken", Trouble::unreachable},  // may pass: credentials are searched for again
    {"RequestTimeTooSkewed", Trouble::unreachable},
    {"NoSuchBucket", Trouble::refused},
    {"InvalidBucketName", Trouble::refused},
    {"PermanentRedirect", Trouble::refused},
    {"AuthorizationHeaderMalformed", Trouble::refused},
    {"InvalidToken", Trouble::refused},
    {"NotImplemented", Trouble::refused},
    {"SlowDown", Trouble::throttled},
    {"EntityTooLarge", Trouble::full},
    {"QuotaExceeded", Trouble::full},
    {"XMinioStorageFull", Trouble::full},
});

bool is_region(const std::string& text) {
  constexpr std::size_t kLongest = 32;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !text.empty() && text.size() <= kLongest && text.find_first_not_of(kLetters) == std::string::npos;
}

// Where the bucket is, if that is the trouble.
std::string region_of(const HttpResponse& response, const std::string& code) {
  const bool is_elsewhere = response.status == 301 || response.status == 307 || code == "AuthorizationHeaderMalformed";
  if (!is_elsewhere) return "";
  std::string region = response.header("x-amz-bucket-region");
  if (region.empty()) region = xml_text(response.body, "Region");
  return is_region(region) ? region : "";
}

bool is_absent(const HttpResponse& response, const std::string& code) {
  return (response.status == 404 || response.status == 410) && code != "NoSuchBucket";
}

class S3Access : public Access {
 public:
  S3Access(S3Address address, std::optional<AwsCredentials> credentials)
      : Access(credentials ? credentials->expires : std::nullopt),
        address_(std::move(address)),
        credentials_(std::move(credentials)) {}

  std::string identity() const override {
    return credentials_ ? credentials_->access_key + " " + credentials_->secret_key + " " + credentials_->session_token
                        : "";
  }

  HttpRequest signed_request(const ObjectRequest& request, SystemTime now) const override {
    using Kind = ObjectRequest::Kind;
    const std::string_view body = request.body == nullptr ? std::string_view() : *request.body;
    UnsignedRequest to_sign{.method = request.kind == Kind::put   ? "PUT"
                                      : request.kind == Kind::has ? "HEAD"
                                                                  : "GET",
                            .path = address_.root + request.name,
                            .headers = {},
                            .payload = hex_of(sha256(body))};
    // Signed, so that no proxy removes them.
    if (request.only_if && request.only_if->empty()) to_sign.headers.emplace_back("If-None-Match", "*");
    if (request.only_if && !request.only_if->empty()) to_sign.headers.emplace_back("If-Match", *request.only_if);
    if (credentials_) {
      to_sign.headers.emplace_back("x-amz-date", amz_date(now));
      to_sign.headers.emplace_back("x-amz-content-sha256", to_sign.payload);
      if (!credentials_->session_token.empty())
        to_sign.headers.emplace_back("x-amz-security-token", credentials_->session_token);
    }
    HttpRequest http{.method = to_sign.method, .url = address_.origin + to_sign.path, .headers = {}};
    for (const auto& [name, value] : to_sign.headers) http.headers.emplace_back(name).append(": ").append(value);
    if (!credentials_) return http;
    to_sign.headers.emplace_back("host", address_.host);  // curl sends it by itself
    const SigningScope scope{.region = address_.region, .time = now};
    http.headers.push_back("Authorization: " + authorization_of(to_sign, scope, *credentials_));
    return http;
  }

 private:
  const S3Address address_;
  const std::optional<AwsCredentials> credentials_;  // none: requests are not signed
};

class S3Service : public ObjectService {
 public:
  S3Service(config::RemoteUrl url, Variables variables) : url_(std::move(url)), variables_(std::move(variables)) {}

  Result<AccessPtr> find_access() const override {
    const Result<AwsSettings> settings = AwsSettings::read(variables_, url_.s3.profile);
    if (!settings) return settings.error();
    const Result<S3Address> address = address_of(url_, *settings);
    if (!address) return address.error();
    if (!url_.is_signed) return AccessPtr(std::make_shared<S3Access>(*address, std::nullopt));
    Result<AwsCredentials> credentials = find_credentials(*settings, address->region);
    if (!credentials) return credentials.error();
    return AccessPtr(std::make_shared<S3Access>(*address, std::move(*credentials)));
  }

  HttpOptions http_options() const override {
    return {.ca_file = url_.ca_file.empty() ? variables_("AWS_CA_BUNDLE") : url_.ca_file,
            .client_certificate = url_.client_certificate,
            .client_key = url_.client_key};
  }

  Meaning meaning_of(const ObjectRequest& request, const HttpResponse& response) const override {
    const std::string code = error_code_of(response.body);
    if (code == "ExpiredToken" || code == "ExpiredTokenException") return Meaning::ended;  // with status 400 or 403
    if (code == "RequestTimeTooSkewed") return Meaning::wrong_clock;
    if (response.status == 501 || (response.status == 400 && code == "NotImplemented")) return Meaning::no_conditions;
    const bool is_put = request.kind == ObjectRequest::Kind::put;
    // 409: while the first writer still writes. 404: what was to be replaced is gone.
    if (is_put && (response.status == 412 || response.status == 409 || is_absent(response, code)))
      return Meaning::came_second;
    return is_absent(response, code) ? Meaning::absent : Meaning::failure;
  }

  Failure failure_of(const ObjectRequest& /*request*/, const HttpResponse& response) const override {
    const std::string code = error_code_of(response.body);
    Failure failure = failure_of_code(response, code, kMeanings);
    if (const std::string region = region_of(response, code); !region.empty())
      failure.message += "; the bucket is in region=" + region;
    return failure;
  }

  std::string tag_of(const HttpResponse& response) const override { return response.header("etag"); }

 private:
  const config::RemoteUrl url_;
  const Variables variables_;
};

}  // namespace

std::unique_ptr<const ObjectService> make_s3_service(const config::RemoteUrl& url, Variables variables) {
  return std::make_unique<S3Service>(url, std::move(variables));
}

}  // namespace hipcache::remote
