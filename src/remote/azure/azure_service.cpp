#include "remote/objects/object_service.h"

#include <map>
#include <utility>

#include "remote/azure/azure_credentials.h"
#include "remote/http/http_client.h"
#include "remote/objects/credential_server.h"

namespace hipcache::remote {
namespace {

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
    return {.ca_file = url_.ca_file, .client_certificate = url_.client_certificate, .client_key = url_.client_key};
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

std::unique_ptr<const ObjectService> make_azure_service(const config::RemoteUrl& url, World world) {
  return std::make_unique<AzureService>(url, std::move(world));
}

}  // namespace hipcache::remote
