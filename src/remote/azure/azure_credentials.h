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
#ifndef HIPCACHE_SRC_REMOTE_AZURE_AZURE_CREDENTIALS_H
#define HIPCACHE_SRC_REMOTE_AZURE_AZURE_CREDENTIALS_H

#include <optional>
#include <string>

#include "hipcache/config/remote_url.h"
#include "remote/objects/credential_server.h"

namespace hipcache::remote {

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
