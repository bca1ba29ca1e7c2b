#include "remote/azure/azure_credentials.h"

#include <array>
#include <ctime>
#include <map>
#include <string_view>
#include <utility>

#include "remote/layout/sha256.h"

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
    return Error{from + " is of the account " + name + ", and the URL's account is " + account};
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
    const Result<std::string> assertion = token_in_file(file);
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

}  // namespace

Result<AzureCredentials> find_azure_credentials(const config::RemoteUrl& url, const World& world) {
  if (!url.is_signed) return AzureCredentials();
  if (!url.credentials_file.empty()) {
    const Result<std::string> text = token_in_file(url.credentials_file);
    return text ? of_connection_string(*text, url.host, url.credentials_file) : text.error();
  }
  if (const std::string text = world.variables("AZURE_STORAGE_CONNECTION_STRING"); !text.empty())
    return of_connection_string(text, url.host, "AZURE_STORAGE_CONNECTION_STRING");
  AzureCredentials credentials;
  const std::string account = world.variables("AZURE_STORAGE_ACCOUNT");
  const std::string key = world.variables("AZURE_STORAGE_KEY");
  const std::string sas = world.variables("AZURE_STORAGE_SAS_TOKEN");
  if (!(key + sas).empty()) {
    if (!account.empty() && account != url.host)
      return Error{"AZURE_STORAGE_ACCOUNT is " + account + ", and the URL's account is " + url.host};
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

}  // namespace hipcache::remote
