// Finds credentials where Azure's tools find them, in this order:
//
//   1. the connection string in the file that credentials_file= names, or in AZURE_STORAGE_CONNECTION_STRING
//   2. AZURE_STORAGE_KEY, else AZURE_STORAGE_SAS_TOKEN; AZURE_STORAGE_ACCOUNT must then be the URL's, if it is set
//   3. an application of Entra ID: AZURE_TENANT_ID and AZURE_CLIENT_ID with AZURE_FEDERATED_TOKEN_FILE (AKS's workload
//      identity) or AZURE_CLIENT_SECRET
//   4. the instance's server (a managed identity), at AZURE_POD_IDENTITY_AUTHORITY_HOST
//
// What is there and cannot be used is an error and no reason to look further: another identity could write elsewhere.
// Sources: "Configure Azure Storage connection strings", and the documentation of DefaultAzureCredential.
//
// Blocks for as long as servers take, at most some 20 seconds. Thread-safe. Errors hold no secret.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_AZURE_SERVICE_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_AZURE_SERVICE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "hipcache/config/remote_url.h"
#include "remote/objects/credential_server.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

// Azure's signature by the key of an account, "Shared Key", in the header Authorization. Pure functions.
//
// Source: "Authorize with Shared Key" of the Azure Storage REST API, for versions from 2015-02-21 on. The tests hold
// its example against it.

// Without a query: hipcache's requests have none.
struct AzureRequest {
  std::string method;
  std::string path;                            // percent-encoded, as it is sent
  std::map<std::string, std::string> headers;  // by names in small letters
  std::uint64_t body_size = 0;
};

// "Fri, 26 Jun 2015 23:39:12 GMT": the header x-ms-date, which a request must have.
std::string http_date(SystemTime time);

std::string shared_key_authorization(const AzureRequest& request, const std::string& account, const std::string& key);

// One of key, SAS and token; none: requests are not signed.
struct AzureCredentials {
  std::string endpoint;  // "https://account.blob.core.windows.net": of the account, if a connection string says it
  std::string key;       // its bytes
  std::string sas;       // a query, without its "?"
  BearerToken token = {};
};

Result<AzureCredentials> find_azure_credentials(const config::RemoteUrl& url, const World& world);

}  // namespace hipcache::remote

#endif
