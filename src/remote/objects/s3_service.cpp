#include "remote/objects/s3_service.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <tuple>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/config/shown.h"
#include "remote/layout/sha256.h"
#include "remote/objects/credential_server.h"
#include "remote/transport/http_client.h"

namespace hipcache::remote {

namespace {

// Settings and addresses.

constexpr const char* kRegionLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr const char* kDefaultRegion = "us-east-1";

std::string first_set(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts)
    if (!text.empty()) return text;
  return "";
}

std::string configured_endpoint(const std::string& service, const AwsSettings& settings) {
  if (settings.variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") == "true") return "";
  const std::string own = service == "s3" ? "AWS_ENDPOINT_URL_S3" : "AWS_ENDPOINT_URL_STS";
  return first_set(
      {settings.variable(own.c_str()), settings.variable("AWS_ENDPOINT_URL"), settings.value("endpoint_url")});
}

constexpr std::uint64_t kFileLimit = 1u << 20;

// "profile name" -> "name" in the configuration file; other sections there (sso-session, services) are no profiles.
std::string_view profile_of_section(std::string_view section, bool is_config) {
  if (!is_config || section == "default") return section;
  constexpr std::string_view kWord = "profile";
  if (!section.starts_with(kWord)) return "";
  const std::string_view name = trimmed(section.substr(kWord.size()));
  return name.size() >= 2 && name.front() == '"' && name.back() == '"' ? name.substr(1, name.size() - 2) : name;
}

std::string region_of(const config::RemoteUrl& url, const AwsSettings& settings) {
  return first_set({url.s3.region, settings.variable("AWS_REGION"), settings.variable("AWS_DEFAULT_REGION"),
                    settings.value("region"), kDefaultRegion});
}

// The server of an AWS service ("s3", "sts"): `named` if it is not empty, else what the settings say, else AWS's own.
Result<std::string> endpoint_of(const std::string& service, const std::string& named, const std::string& region,
                                const AwsSettings& settings) {
  if (!named.empty()) return named;
  const std::string configured = configured_endpoint(service, settings);
  if (configured.empty())
    return "https://" + service + "." + region + ".amazonaws.com" + (region.starts_with("cn-") ? ".cn" : "");
  Result<std::string> origin = config::parse_origin(configured);
  if (!origin) return Error{"AWS's setting of the endpoint of " + service + " " + origin.error().message};
  return origin;
}

// Credentials.

constexpr const char* kContainerServer = "http://169.254.170.2";
constexpr const char* kInstanceServer = "http://169.254.169.254";
constexpr const char* kRoles = "/latest/meta-data/iam/security-credentials/";
// Whom a container's token is sent to without TLS: this machine, and AWS's servers on its link.
constexpr auto kPlainHosts =
    std::to_array<std::string_view>({"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"});

Result<AwsCredentials> keys_from(HttpClient& client, const HttpRequest& request, const std::string& whom) {
  const Result<nlohmann::json> answer = json_from(client, request, kLinkLimits, whom);
  if (!answer) return answer.error();
  AwsCredentials credentials{.access_key = text_of(*answer, "AccessKeyId"),
                             .secret_key = text_of(*answer, "SecretAccessKey"),
                             .session_token = text_of(*answer, "Token"),
                             .expires = parse_utc_time(text_of(*answer, "Expiration"))};
  if (credentials.access_key.empty() || credentials.secret_key.empty()) return Error{whom + ": an answer without keys"};
  return credentials;
}

bool may_be_asked(const std::string& url) {
  if (url.starts_with("https://")) return true;
  constexpr std::string_view kPlain = "http://";
  if (!url.starts_with(kPlain)) return false;
  const std::string authority = url.substr(kPlain.size(), url.find('/', kPlain.size()) - kPlain.size());
  if (authority.find('@') != std::string::npos) return false;  // what precedes it would be taken for the host
  const auto bracket = authority.find(']');
  const std::string host = authority.substr(0, authority.find(':', bracket == std::string::npos ? 0 : bracket));
  // "127." and digits: a name such as 127.0.0.1.example is somebody else's.
  const bool is_loopback = host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
  return is_loopback || std::find(kPlainHosts.begin(), kPlainHosts.end(), host) != kPlainHosts.end();
}

Result<std::string> authorization(const AwsSettings& settings) {
  const std::string file = settings.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  std::string token = settings.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (!file.empty()) {
    Result<std::string> read = read_file(file, kTokenLimit, config::file_of("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"));
    if (!read) return read;
    token = std::move(*read);
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  }
  if (token.find_first_of("\r\n") != std::string::npos) return Error{"the container's token holds a line break"};
  return token;
}

// These servers are on the machine or its link, so limits are short and no proxy is used. Version 1 of the instance's
// server is not asked: AWS advises against it.
// Source: "Container credential provider" and "IMDS credential provider" of the AWS SDKs and Tools guide.
Result<AwsCredentials> credentials_of_container(const AwsSettings& settings) {
  const std::string whom = "the container's server";
  const std::string relative = settings.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string url =
      relative.empty() ? settings.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") : kContainerServer + relative;
  if (!may_be_asked(url))
    return Error{"AWS_CONTAINER_CREDENTIALS_FULL_URI names neither https nor a server of this machine"};
  const Result<std::string> token = authorization(settings);
  if (!token) return token.error();
  HttpClient client({.may_use_proxy = false});
  HttpRequest request{.method = "GET", .url = url, .headers = {"Accept: application/json"}};
  if (!token->empty()) request.headers.push_back("Authorization: " + *token);
  return keys_from(client, request, whom);
}

Result<AwsCredentials> credentials_of_instance(const AwsSettings& settings) {
  const std::string whom = "the instance's server (IMDSv2)";
  std::string base = settings.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (base.empty()) base = kInstanceServer;
  while (base.ends_with('/')) base.pop_back();
  HttpClient client({.may_use_proxy = false});
  const std::string nothing;
  const Result<std::string> token = body_from(client,
                                              {.method = "PUT",
                                               .url = base + "/latest/api/token",
                                               .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"},
                                               .body = &nothing},
                                              kLinkLimits, whom);
  if (!token) return token.error();
  if (token->empty() || token->find_first_of("\r\n") != std::string::npos)
    return Error{whom + ": an answer without a token"};
  const std::vector<std::string> headers{"X-aws-ec2-metadata-token: " + *token};
  const Result<std::string> roles =
      body_from(client, {.method = "GET", .url = base + kRoles, .headers = headers}, kLinkLimits, whom);
  if (!roles) return roles.error();
  const std::string role = roles->substr(0, roles->find_first_of("\r\n"));
  if (role.empty()) return Error{whom + ": the instance has no role"};
  return keys_from(client, {.method = "GET", .url = base + kRoles + url_escaped(role), .headers = headers}, whom);
}

// Credentials for a token of another identity provider, by AWS's Security Token Service: what EKS gives a pod and
// GitHub a job.
//
// The token goes in the body of a POST, because servers log addresses. The request needs no signature. The answer is
// XML of a fixed form whose values hold no markup, so its elements are searched for by name (credential_server.h).
// Source: AssumeRoleWithWebIdentity of the AWS STS manual.
struct WebIdentity {
  std::string token_file;
  std::string role;     // its ARN
  std::string session;  // a name for AWS's logs; "hipcache" if it is empty
};

constexpr const char* kWhom = "AWS STS";

Result<AwsCredentials> credentials_of_web_identity(const AwsSettings& settings, const WebIdentity& identity,
                                                   const std::string& region) {
  if (identity.role.empty()) return Error{"a web identity needs AWS_ROLE_ARN beside its token file"};
  const Result<std::string> token =
      token_in_file(identity.token_file, "AWS_WEB_IDENTITY_TOKEN_FILE or web_identity_token_file");
  if (!token) return token.error();
  const Result<std::string> server = endpoint_of("sts", "", region, settings);
  if (!server) return server.error();
  const std::string body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + form_value(identity.role) +
                           "&RoleSessionName=" + form_value(identity.session.empty() ? "hipcache" : identity.session) +
                           "&WebIdentityToken=" + form_value(*token);
  HttpClient client({.tls = {settings.variable("AWS_CA_BUNDLE"), "", ""}});
  const Result<std::string> answer = body_from(client,
                                               {.method = "POST",
                                                .url = *server + "/",
                                                .headers = {"Content-Type: application/x-www-form-urlencoded"},
                                                .body = &body},
                                               kNetLimits, kWhom);
  if (!answer) return answer.error();
  AwsCredentials credentials{.access_key = xml_text(*answer, "AccessKeyId"),
                             .secret_key = xml_text(*answer, "SecretAccessKey"),
                             .session_token = xml_text(*answer, "SessionToken"),
                             .expires = parse_utc_time(xml_text(*answer, "Expiration"))};
  if (credentials.access_key.empty() || credentials.secret_key.empty() || credentials.session_token.empty())
    return Error{std::string(kWhom) + ": an answer without keys"};
  return credentials;
}

// Nothing if this place does not apply.
using Place = std::optional<Result<AwsCredentials>>;

// A line break in a key would end a header.
Result<AwsCredentials> checked(const std::string& from, AwsCredentials credentials) {
  if (credentials.access_key.empty() || credentials.secret_key.empty())
    return Error{from + ": one of access key and secret key is missing"};
  if (!is_printable(credentials.access_key) || !is_printable(credentials.session_token))
    return Error{from + ": a key or token holds a blank or a letter that is not ASCII"};
  return credentials;
}

Place from_variables(const AwsSettings& settings) {
  AwsCredentials found{.access_key = settings.variable("AWS_ACCESS_KEY_ID"),
                       .secret_key = settings.variable("AWS_SECRET_ACCESS_KEY"),
                       .session_token = settings.variable("AWS_SESSION_TOKEN"),
                       .expires = {}};
  if (settings.is_profile_of_url() || (found.access_key + found.secret_key).empty()) return std::nullopt;
  return checked("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", std::move(found));
}

Place from_web_identity(const AwsSettings& settings, const std::string& region) {
  WebIdentity identity;
  if (!settings.is_profile_of_url())
    identity = {.token_file = settings.variable("AWS_WEB_IDENTITY_TOKEN_FILE"),
                .role = settings.variable("AWS_ROLE_ARN"),
                .session = settings.variable("AWS_ROLE_SESSION_NAME")};
  if (identity.token_file.empty())
    identity = {.token_file = settings.value("web_identity_token_file"),
                .role = settings.value("role_arn"),
                .session = settings.value("role_session_name")};
  if (identity.token_file.empty()) return std::nullopt;
  return credentials_of_web_identity(settings, identity, region);
}

Place from_profile(const AwsSettings& settings) {
  const std::string name = "profile " + settings.profile();
  AwsCredentials found{.access_key = settings.value("aws_access_key_id"),
                       .secret_key = settings.value("aws_secret_access_key"),
                       .session_token = settings.value("aws_session_token"),
                       .expires = {}};
  if (!(found.access_key + found.secret_key).empty()) return checked(name, std::move(found));
  for (const char* key : {"credential_process", "sso_session", "sso_start_url", "source_profile", "credential_source"})
    if (!settings.value(key).empty())
      return Error{name + " has " + key + ", which hipcache does not use; put keys into variables with " +
                   "\"aws configure export-credentials\""};
  const bool is_named = settings.is_profile_of_url() || !settings.variable("AWS_PROFILE").empty();
  if (is_named && !settings.has_profile()) return Error{name + " is in neither of AWS's shared files"};
  return std::nullopt;
}

// Signatures, and the service.

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
  S3Service(config::RemoteUrl url, VariableOf variables) : url_(std::move(url)), variables_(std::move(variables)) {}

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
    return {.tls = {url_.ca_file.empty() ? variables_("AWS_CA_BUNDLE") : url_.ca_file, url_.client_certificate,
                    url_.client_key}};
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
  const VariableOf variables_;
};

}  // namespace

Result<AwsSettings> AwsSettings::read(const VariableOf& variables, const std::string& profile) {
  AwsSettings settings;
  settings.variables_ = variables;
  settings.is_of_url_ = !profile.empty();
  settings.profile_ = first_set({profile, variables("AWS_PROFILE"), "default"});
  const std::string home = variables("HOME") + "/.aws/";
  for (const auto& [variable, own, is_config] : {std::tuple("AWS_SHARED_CREDENTIALS_FILE", "credentials", false),
                                                 std::tuple("AWS_CONFIG_FILE", "config", true)}) {
    const std::string named = variables(variable);
    const std::string path = first_set({named, home + own});
    const std::string name = named.empty() ? path : config::file_of(variable);
    if (Status added = settings.add_file(path, name, is_config); !added) return added.error();
  }
  return settings;
}

std::string AwsSettings::value(const std::string& key) const {
  const auto known = values_.find(key);
  return known == values_.end() ? "" : known->second;
}

Status AwsSettings::add_file(const std::string& path, const std::string& name, bool is_config) {
  const Result<std::string> text = read_file(path, kFileLimit, name);
  if (!text && text.error().code == ErrorCode::gone) return done();
  if (!text) return text.error();
  bool is_inside = false;
  int number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++number;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      is_inside = profile_of_section(trimmed(content.substr(1, content.find(']') - 1)), is_config) == profile_;
      exists_ = exists_ || is_inside;
      continue;
    }
    const auto equals = content.find('=');
    // A line that begins with a blank belongs to a value of several lines, of which none is needed here.
    if (!is_inside || kBlanks.find(line.front()) != std::string_view::npos) continue;
    if (equals == std::string_view::npos)
      return Error{name + ":" + std::to_string(number) + ": neither a [section] nor key = value"};
    values_.try_emplace(std::string(trimmed(content.substr(0, equals))), trimmed(content.substr(equals + 1)));
  }
  return done();
}

Result<S3Address> address_of(const config::RemoteUrl& url, const AwsSettings& settings) {
  using Addressing = config::S3Options::Addressing;
  const std::string region = region_of(url, settings);
  if (region.find_first_not_of(kRegionLetters) != std::string::npos)
    return Error{"AWS's region is no name of a region"};
  const Result<std::string> endpoint = endpoint_of("s3", url.endpoint, region, settings);
  if (!endpoint) return endpoint.error();
  const std::string scheme = endpoint->substr(0, endpoint->find("://") + 3);
  const std::string server = endpoint->substr(scheme.size());
  const bool is_aws = url.endpoint.empty() && configured_endpoint("s3", settings).empty();
  // The wildcard in the certificate of AWS's servers covers no dot.
  const bool is_in_host = url.s3.addressing == Addressing::host || (url.s3.addressing == Addressing::automatic &&
                                                                    is_aws && url.host.find('.') == std::string::npos);
  const std::string host = is_in_host ? url.host + "." + server : server;
  return S3Address{.origin = scheme + host,
                   .host = host,
                   .root = (is_in_host ? "" : "/" + url.host) + url_escaped(url.path) + "/",
                   .region = region};
}

Result<AwsCredentials> find_credentials(const AwsSettings& settings, const std::string& region) {
  if (Place found = from_variables(settings)) return *found;
  if (Place found = from_web_identity(settings, region)) return *found;
  if (Place found = from_profile(settings)) return *found;
  const bool is_container = !settings.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty() ||
                            !settings.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty();
  if (is_container) return credentials_of_container(settings);
  const std::string disabled = settings.variable("AWS_EC2_METADATA_DISABLED");
  const std::string nowhere = "no credentials in AWS's variables and files";
  if (disabled == "true" || disabled == "TRUE") return Error{nowhere};
  Result<AwsCredentials> found = credentials_of_instance(settings);
  if (!found) return Error{nowhere + "; " + found.error().message};
  return found;
}

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

std::unique_ptr<const ObjectService> make_s3_service(const config::RemoteUrl& url, VariableOf variables) {
  return std::make_unique<S3Service>(url, std::move(variables));
}

}  // namespace hipcache::remote
