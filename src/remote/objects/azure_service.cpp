#include "remote/objects/azure_service.h"

#include <array>
#include <ctime>
#include <map>
#include <string_view>
#include <utility>

#include "remote/layout/sha256.h"
#include "remote/objects/credential_server.h"
#include "remote/objects/object_service.h"
#include "remote/transport/http_client.h"

namespace hipcache::remote {

std::string http_date(SystemTime time) {
  constexpr auto kDays = std::to_array<const char*>({"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"});
  constexpr auto kMonths =
      std::to_array<const char*>({"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> rest{};
  std::strftime(rest.data(), rest.size(), " %Y %H:%M:%S GMT", &parts);
  const std::string day = (parts.tm_mday < 10 ? "0" : "") + std::to_string(parts.tm_mday);
  return std::string(kDays.at(static_cast<std::size_t>(parts.tm_wday))) + ", " + day + " " +
         kMonths.at(static_cast<std::size_t>(parts.tm_mon)) + rest.data();
}

std::string shared_key_authorization(const AzureRequest& request, const std::string& account, const std::string& key) {
  const auto header = [&](const char* name) {
    const auto known = request.headers.find(name);
    return (known == request.headers.end() ? "" : known->second) + "\n";
  };
  std::string text = request.method + "\n";
  for (const char* name : {"content-encoding", "content-language"}) text += header(name);
  text += (request.body_size == 0 ? "" : std::to_string(request.body_size)) + "\n";
  for (const char* name : {"content-md5", "content-type", "date", "if-modified-since", "if-match", "if-none-match",
                           "if-unmodified-since", "range"})
    text += header(name);
  for (const auto& [name, value] : request.headers)
    if (name.starts_with("x-ms-")) text.append(name).append(":").append(value).append("\n");
  text += "/" + account + request.path;
  return "SharedKey " + account + ":" + base64_of(hmac_sha256(key, text));
}

namespace {

constexpr const char* kCredentialsFile = "credentials_file=";
constexpr const char* kInstanceServer = "http://169.254.169.254";
constexpr const char* kInstancePath =
    "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com%2F";
constexpr const char* kAuthority = "https://login.microsoftonline.com";
constexpr const char* kScope = "https://storage.azure.com/.default";
constexpr const char* kAssertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

Status set_key(AzureCredentials& credentials, const std::string& text, const std::string& from) {
  std::optional<std::string> key = bytes_of_base64(text);
  if (!key || key->empty()) return Error{from + " holds no key of an account in base64"};
  credentials.key = std::move(*key);
  return done();
}

Status set_sas(AzureCredentials& credentials, std::string text, const std::string& from) {
  if (text.starts_with('?')) text.erase(0, 1);
  if (!is_printable(text) || text.find('#') != std::string::npos || text.find("sig=") == std::string::npos)
    return Error{from + " holds no shared access signature, as in sv=...&sig=..."};
  credentials.sas = std::move(text);
  return done();
}

// "AccountName=a;AccountKey=b"
std::map<std::string, std::string> values_of(std::string_view text) {
  std::map<std::string, std::string> values;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (equals != std::string_view::npos) values.emplace(part.substr(0, equals), part.substr(equals + 1));
  }
  return values;
}

// "http://host:10000/account/" -> "http://host:10000/account"
Result<std::string> endpoint_in(const std::string& text, const std::string& from) {
  const auto scheme = text.find("://");
  const auto slash = scheme == std::string::npos ? scheme : text.find('/', scheme + 3);
  const Result<std::string> origin = config::parse_origin(text.substr(0, slash));
  std::string path = slash == std::string::npos ? "" : text.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  if (!origin || !is_printable(path) || path.find_first_of("?#%") != std::string::npos)
    return Error{from + ": BlobEndpoint is no address such as https://account.blob.core.windows.net"};
  return *origin + path;
}

Result<AzureCredentials> of_connection_string(const std::string& text, const std::string& account,
                                              const std::string& from) {
  const std::map<std::string, std::string> values = values_of(text);
  const auto value = [&](const char* name) {
    const auto known = values.find(name);
    return known == values.end() ? "" : known->second;
  };
  AzureCredentials credentials;
  if (const std::string name = value("AccountName"); !name.empty() && name != account)
    return Error{from + " is of another account than the URL's, which is " + account};
  if (const std::string endpoint = value("BlobEndpoint"); !endpoint.empty()) {
    Result<std::string> parsed = endpoint_in(endpoint, from);
    if (!parsed) return parsed.error();
    credentials.endpoint = std::move(*parsed);
  } else if (const std::string suffix = value("EndpointSuffix"); !suffix.empty()) {
    const std::string scheme = value("DefaultEndpointsProtocol") == "http" ? "http://" : "https://";
    const Result<std::string> origin = config::parse_origin(scheme + account + ".blob." + suffix);
    if (!origin) return Error{from + ": EndpointSuffix is no name such as core.windows.net"};
    credentials.endpoint = *origin;
  }
  const std::string key = value("AccountKey");
  const std::string sas = value("SharedAccessSignature");
  if (key.empty() && sas.empty()) return Error{from + " has neither AccountKey nor SharedAccessSignature"};
  Status set = key.empty() ? set_sas(credentials, sas, from) : set_key(credentials, key, from);
  if (!set) return set.error();
  return credentials;
}

// A token for an application, by another identity provider's token or by a secret.
Result<AzureCredentials> of_application(const World& world, const std::string& client) {
  const std::string tenant = world.variables("AZURE_TENANT_ID");
  if (tenant.empty()) return Error{"AZURE_CLIENT_ID needs AZURE_TENANT_ID beside it"};
  std::string authority = world.variables("AZURE_AUTHORITY_HOST");
  if (authority.empty()) authority = kAuthority;
  while (authority.ends_with('/')) authority.pop_back();
  std::string form = "grant_type=client_credentials&client_id=" + form_value(client) + "&scope=" + form_value(kScope);
  if (const std::string file = world.variables("AZURE_FEDERATED_TOKEN_FILE"); !file.empty()) {
    const Result<std::string> assertion = token_in_file(file, "AZURE_FEDERATED_TOKEN_FILE");
    if (!assertion) return assertion.error();
    form += "&client_assertion_type=" + form_value(kAssertion) + "&client_assertion=" + form_value(*assertion);
  } else {
    form += "&client_secret=" + form_value(world.variables("AZURE_CLIENT_SECRET"));
  }
  HttpClient http({});
  Result<BearerToken> token = token_from(http,
                                         {.method = "POST",
                                          .url = authority + "/" + url_escaped(tenant) + "/oauth2/v2.0/token",
                                          .headers = {"Content-Type: application/x-www-form-urlencoded"},
                                          .body = &form},
                                         kNetLimits, "Entra ID", world.now());
  if (!token) return token.error();
  return AzureCredentials{.endpoint = {}, .key = {}, .sas = {}, .token = std::move(*token)};
}

Result<AzureCredentials> of_instance(const World& world, const std::string& client) {
  std::string server = world.variables("AZURE_POD_IDENTITY_AUTHORITY_HOST");
  if (server.empty()) server = kInstanceServer;
  while (server.ends_with('/')) server.pop_back();
  HttpClient http({.may_use_proxy = false});
  const std::string which = client.empty() ? "" : "&client_id=" + form_value(client);
  Result<BearerToken> token =
      token_from(http, {.method = "GET", .url = server + kInstancePath + which, .headers = {"Metadata: true"}},
                 kLinkLimits, "the instance's server", world.now());
  if (!token) return Error{"no credentials in Azure's variables; " + token.error().message};
  return AzureCredentials{.endpoint = {}, .key = {}, .sas = {}, .token = std::move(*token)};
}

using Kind = ObjectRequest::Kind;

constexpr const char* kVersion = "2021-12-02";

// Beside what the statuses say.
constexpr auto kMeanings = std::to_array<CodeMeaning>({
    {"InvalidAuthenticationInfo", Trouble::unreachable},  // may pass: credentials are searched for again
    {"AuthenticationFailed", Trouble::refused, "the key or shared access signature is wrong or has ended"},
    {"AuthorizationPermissionMismatch", Trouble::refused,
     "the identity needs the role Storage Blob Data Contributor, or Reader with mode=ro"},
    {"KeyBasedAuthenticationNotPermitted", Trouble::refused, "the account takes no keys; use an identity of Entra ID"},
    {"ContainerNotFound", Trouble::refused, "the container does not exist"},
    {"ResourceNotFound", Trouble::refused},
    {"PublicAccessNotPermitted", Trouble::refused},
    {"OutOfRangeInput", Trouble::refused},
});

std::string code_of(const HttpResponse& response) {
  const std::string code = shown_code(response.header("x-ms-error-code"));
  return code.empty() ? error_code_of(response.body) : code;
}

// Not where the container is missing, or is hidden from those without credentials.
bool is_absent(const HttpResponse& response, const std::string& code) {
  return response.status == 404 && code != "ContainerNotFound" && code != "ResourceNotFound";
}

// "https://account.blob.core.windows.net", with the path that stands before the container, if there is one. A server
// that does not have the account in its name has it in its paths.
std::string place_of(const config::RemoteUrl& url, const AzureCredentials& credentials) {
  const std::string& account = url.host;
  if (url.endpoint.empty())
    return credentials.endpoint.empty() ? "https://" + account + ".blob.core.windows.net" : credentials.endpoint;
  const bool is_in_name = url.endpoint.find("://" + account + ".") != std::string::npos;
  return is_in_name ? url.endpoint : url.endpoint + "/" + account;
}

class AzureAccess : public Access {
 public:
  AzureAccess(const config::RemoteUrl& url, AzureCredentials credentials)
      : Access(credentials.token.expires), account_(url.host), credentials_(std::move(credentials)) {
    const std::string place = place_of(url, credentials_);
    const auto slash = place.find('/', place.find("://") + 3);
    origin_ = place.substr(0, slash);
    root_ = (slash == std::string::npos ? "" : place.substr(slash)) + url_escaped(url.path) + "/";
  }

  std::string identity() const override { return credentials_.key + credentials_.sas + credentials_.token.text; }

  HttpRequest signed_request(const ObjectRequest& request, SystemTime now) const override {
    AzureRequest to_sign{.method = request.kind == Kind::put   ? "PUT"
                                   : request.kind == Kind::has ? "HEAD"
                                                               : "GET",
                         .path = root_ + request.name,
                         .headers = {{"x-ms-date", http_date(now)}, {"x-ms-version", kVersion}},
                         .body_size = request.body == nullptr ? 0 : request.body->size()};
    if (request.kind == Kind::put) to_sign.headers.emplace("x-ms-blob-type", "BlockBlob");
    if (request.only_if && request.only_if->empty()) to_sign.headers.emplace("if-none-match", "*");
    if (request.only_if && !request.only_if->empty()) to_sign.headers.emplace("if-match", *request.only_if);
    HttpRequest http{.method = to_sign.method, .url = origin_ + to_sign.path, .headers = {}};
    for (const auto& [name, value] : to_sign.headers) http.headers.emplace_back(name).append(": ").append(value);
    if (!credentials_.sas.empty()) http.url += "?" + credentials_.sas;
    if (!credentials_.token.text.empty()) http.headers.push_back("Authorization: Bearer " + credentials_.token.text);
    if (!credentials_.key.empty())
      http.headers.push_back("Authorization: " + shared_key_authorization(to_sign, account_, credentials_.key));
    return http;
  }

 private:
  const std::string account_;
  const AzureCredentials credentials_;
  std::string origin_;
  std::string root_;  // percent-encoded path before all names; begins and ends with a slash
};

class AzureService : public ObjectService {
 public:
  AzureService(config::RemoteUrl url, World world) : url_(std::move(url)), world_(std::move(world)) {}

  Result<AccessPtr> find_access() const override {
    Result<AzureCredentials> credentials = find_azure_credentials(url_, world_);
    if (!credentials) return credentials.error();
    return AccessPtr(std::make_shared<AzureAccess>(url_, std::move(*credentials)));
  }

  HttpOptions http_options() const override {
    return {.tls = {url_.ca_file, url_.client_certificate, url_.client_key}};
  }

  Meaning meaning_of(const ObjectRequest& request, const HttpResponse& response) const override {
    const std::string code = code_of(response);
    if (response.status == 401) return Meaning::ended;
    if (code == "AuthenticationFailed") return Meaning::unproved;
    // Of a new blob: another writer was first. Of one that was read: it was replaced or removed.
    const bool is_other = response.status == 412 || code == "BlobAlreadyExists" || is_absent(response, code);
    if (request.kind == Kind::put) return is_other ? Meaning::came_second : Meaning::failure;
    return is_absent(response, code) ? Meaning::absent : Meaning::failure;
  }

  Failure failure_of(const ObjectRequest& /*request*/, const HttpResponse& response) const override {
    return failure_of_code(response, code_of(response), kMeanings);
  }

  std::string tag_of(const HttpResponse& response) const override { return response.header("etag"); }

 private:
  const config::RemoteUrl url_;
  const World world_;
};

}  // namespace

Result<AzureCredentials> find_azure_credentials(const config::RemoteUrl& url, const World& world) {
  if (!url.is_signed) return AzureCredentials();
  if (!url.credentials_file.empty()) {
    const Result<std::string> text = token_in_file(url.credentials_file, kCredentialsFile);
    return text ? of_connection_string(*text, url.host, config::file_of(kCredentialsFile)) : text.error();
  }
  if (const std::string text = world.variables("AZURE_STORAGE_CONNECTION_STRING"); !text.empty())
    return of_connection_string(text, url.host, "AZURE_STORAGE_CONNECTION_STRING");
  AzureCredentials credentials;
  const std::string account = world.variables("AZURE_STORAGE_ACCOUNT");
  const std::string key = world.variables("AZURE_STORAGE_KEY");
  const std::string sas = world.variables("AZURE_STORAGE_SAS_TOKEN");
  if (!(key + sas).empty()) {
    if (!account.empty() && account != url.host)
      return Error{"AZURE_STORAGE_ACCOUNT is another account than the URL's, which is " + url.host};
    Status set = key.empty() ? set_sas(credentials, sas, "AZURE_STORAGE_SAS_TOKEN")
                             : set_key(credentials, key, "AZURE_STORAGE_KEY");
    if (!set) return set.error();
    return credentials;
  }
  const std::string client = world.variables("AZURE_CLIENT_ID");
  const bool is_application =
      !client.empty() &&
      !(world.variables("AZURE_FEDERATED_TOKEN_FILE") + world.variables("AZURE_CLIENT_SECRET")).empty();
  return is_application ? of_application(world, client) : of_instance(world, client);
}

std::unique_ptr<const ObjectService> make_azure_service(const config::RemoteUrl& url, World world) {
  return std::make_unique<AzureService>(url, std::move(world));
}

}  // namespace hipcache::remote
