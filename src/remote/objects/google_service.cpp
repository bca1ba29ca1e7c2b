#include "remote/objects/google_service.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "remote/layout/sha256.h"
#include "remote/objects/credential_server.h"
#include "remote/objects/object_service.h"
#include "remote/transport/http_client.h"

namespace hipcache::remote {

namespace {

using nlohmann::json;

// A JSON Web Token, signed by an RSA key (RS256, RFC 7515 and 7518).

// The alphabet for addresses, without padding.
std::string base64url(const std::string& bytes) {
  std::string text = base64_of(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& letter : text) letter = letter == '+' ? '-' : letter == '/' ? '_' : letter;
  return text;
}

// `pem`: a private key. The error holds nothing of it.
Result<std::string> signed_web_token(const nlohmann::json& header, const nlohmann::json& claims,
                                     const std::string& pem) {
  const std::string text = base64url(header.dump()) + "." + base64url(claims.dump());
  const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) return Error{"no RSA key in PEM"};
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key.get())), '\0');
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) != 1)
    return Error{"the key does not sign"};
  signature.resize(size);
  return text + "." + base64url(signature);
}

constexpr std::uint64_t kFileLimit = 1u << 20;

constexpr const char* kTokenServer = "https://oauth2.googleapis.com/token";

constexpr const char* kMetadataServer = "metadata.google.internal";

constexpr const char* kMetadataPath = "/computeMetadata/v1/instance/service-accounts/default/token";

constexpr const char* kForm = "Content-Type: application/x-www-form-urlencoded";

constexpr int kLifetime = 3600;  // seconds; the longest

std::string scope_of(const GoogleWish& wish) {
  return std::string("https://www.googleapis.com/auth/devstorage.") + (wish.writes ? "read_write" : "read_only");
}

std::string form_of(std::initializer_list<std::pair<const char*, std::string>> values) {
  std::string form;
  for (const auto& [name, value] : values)
    form.append(form.empty() ? "" : "&").append(name).append("=").append(form_value(value));
  return form;
}

// A file of credentials.
struct File {
  const std::string name;  // for people
  const json content;

  std::string text(const std::string& key) const { return text_of(content, key); }
  std::string token_server() const { return text("token_uri").empty() ? kTokenServer : text("token_uri"); }
  Error wrong(const std::string& what) const { return Error{name + ": " + what}; }
};

Result<BearerToken> post(const std::string& url, const std::string& form, SystemTime now) {
  HttpClient client({});
  return token_from(client, {.method = "POST", .url = url, .headers = {kForm}, .body = &form}, kNetLimits,
                    "Google's token server", now);
}

Result<BearerToken> token_of_service_account(const File& file, const GoogleWish& wish, SystemTime now) {
  const auto seconds = std::chrono::system_clock::to_time_t(now);
  const json header{{"alg", "RS256"}, {"typ", "JWT"}, {"kid", file.text("private_key_id")}};
  const json claims{{"iss", file.text("client_email")},
                    {"scope", scope_of(wish)},
                    {"aud", file.token_server()},
                    {"iat", seconds},
                    {"exp", seconds + kLifetime}};
  if (file.text("client_email").empty()) return file.wrong("client_email is missing");
  const Result<std::string> assertion = signed_web_token(header, claims, file.text("private_key"));
  if (!assertion) return file.wrong("private_key: " + assertion.error().message);
  return post(file.token_server(),
              form_of({{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", *assertion}}), now);
}

Result<BearerToken> token_of_user(const File& file, SystemTime now) {
  return post(file.token_server(),
              form_of({{"grant_type", "refresh_token"},
                       {"client_id", file.text("client_id")},
                       {"client_secret", file.text("client_secret")},
                       {"refresh_token", file.text("refresh_token")}}),
              now);
}

// What the other identity provider gives: in a file, or from a server such as GitHub's. A text, or a text in JSON.
Result<std::string> subject_token(const File& file) {
  const json source = file.content.value("credential_source", json::object());
  if (!source.is_object()) return file.wrong("credential_source is no object");
  Result<std::string> got = file.wrong("credential_source has neither file nor url, and hipcache uses no other kind");
  if (const std::string path = text_of(source, "file"); !path.empty())
    got = read_file(path, kTokenLimit, config::file_of("credential_source"));
  if (const std::string url = text_of(source, "url"); !url.empty()) {
    HttpRequest request{.method = "GET", .url = url, .headers = {}};
    if (const auto headers = source.find("headers"); headers != source.end() && headers->is_object())
      for (const auto& [name, value] : headers->items())
        if (value.is_string()) request.headers.push_back(name + ": " + value.get<std::string>());
    HttpClient client({});
    got = body_from(client, request, kNetLimits, "the identity provider");
  }
  if (!got) return got;
  const json format = source.value("format", json::object());
  if (!format.is_object() || text_of(format, "type") != "json") return got->substr(0, got->find_first_of("\r\n"));
  const json answer = json::parse(*got, nullptr, false);
  std::string token = answer.is_object() ? text_of(answer, text_of(format, "subject_token_field_name")) : "";
  if (token.empty()) return file.wrong("credential_source gives no token");
  return token;
}

Result<BearerToken> as_service_account(const std::string& url, const BearerToken& own, const GoogleWish& wish) {
  const std::string whom = "Google's credentials server";
  const std::string body = json{{"scope", {scope_of(wish)}}, {"lifetime", std::to_string(kLifetime) + "s"}}.dump();
  HttpClient client({});
  const Result<json> answer =
      json_from(client,
                {.method = "POST",
                 .url = url,
                 .headers = {"Content-Type: application/json", "Authorization: Bearer " + own.text},
                 .body = &body},
                kNetLimits, whom);
  if (!answer) return answer.error();
  BearerToken token{.text = text_of(*answer, "accessToken"), .expires = parse_utc_time(text_of(*answer, "expireTime"))};
  if (token.text.empty() || !is_printable(token.text)) return Error{whom + ": an answer without a token"};
  return token;
}

Result<BearerToken> token_of_other_provider(const File& file, const GoogleWish& wish, SystemTime now) {
  const Result<std::string> subject = subject_token(file);
  if (!subject) return subject.error();
  const std::string account = file.text("service_account_impersonation_url");
  Result<BearerToken> token =
      post(file.text("token_url"),
           form_of({{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                    {"audience", file.text("audience")},
                    {"scope", account.empty() ? scope_of(wish) : "https://www.googleapis.com/auth/cloud-platform"},
                    {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                    {"subject_token_type", file.text("subject_token_type")},
                    {"subject_token", *subject}}),
           now);
  return token && !account.empty() ? as_service_account(account, *token, wish) : token;
}

Result<BearerToken> token_of_file(const std::string& name, const std::string& text, const GoogleWish& wish,
                                  SystemTime now) {
  const File file{.name = name, .content = json::parse(text, nullptr, false)};
  if (!file.content.is_object()) return file.wrong("this is no file of Google's credentials");
  const std::string type = file.text("type");
  if (type == "service_account") return token_of_service_account(file, wish, now);
  if (type == "authorized_user") return token_of_user(file, now);
  if (type == "external_account") return token_of_other_provider(file, wish, now);
  return file.wrong("its type is none of service_account, authorized_user and external_account");
}

// Of gcloud.
std::string default_file(const World& world) {
  std::string directory = world.variables("CLOUDSDK_CONFIG");
  if (directory.empty()) directory = world.variables("HOME") + "/.config/gcloud";
  return directory + "/application_default_credentials.json";
}

Result<BearerToken> token_of_instance(const World& world) {
  std::string server = world.variables("GCE_METADATA_HOST");
  if (server.empty()) server = kMetadataServer;
  HttpClient client({.may_use_proxy = false});
  return token_from(
      client, {.method = "GET", .url = "http://" + server + kMetadataPath, .headers = {"Metadata-Flavor: Google"}},
      kLinkLimits, "the instance's server", world.now());
}

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
    return {.tls = {url_.ca_file, url_.client_certificate, url_.client_key}};
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

Result<BearerToken> find_google_token(const GoogleWish& wish, const World& world) {
  const std::string of_variable = world.variables("GOOGLE_APPLICATION_CREDENTIALS");
  const std::string named = wish.credentials_file.empty() ? of_variable : wish.credentials_file;
  const std::string path = named.empty() ? default_file(world) : named;
  const std::string setting = wish.credentials_file.empty() ? "GOOGLE_APPLICATION_CREDENTIALS" : "credentials_file=";
  const std::string name = named.empty() ? path : config::file_of(setting);
  const Result<std::string> text = read_file(path, kFileLimit, name);
  if (text) return token_of_file(name, *text, wish, world.now());
  if (!named.empty() || text.error().code != ErrorCode::gone) return text.error();
  Result<BearerToken> token = token_of_instance(world);
  if (token) return token;
  return Error{"no credentials: GOOGLE_APPLICATION_CREDENTIALS is not set, there is no " + path + ", and " +
               token.error().message};
}

std::unique_ptr<const ObjectService> make_google_service(const config::RemoteUrl& url, World world) {
  return std::make_unique<GoogleService>(url, std::move(world));
}

}  // namespace hipcache::remote
