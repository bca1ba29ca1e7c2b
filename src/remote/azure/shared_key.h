// Azure's signature by the key of an account, "Shared Key", in the header Authorization. Pure functions.
//
// Source: "Authorize with Shared Key" of the Azure Storage REST API, for versions from 2015-02-21 on. The tests hold
// its example against it.
#ifndef HIPCACHE_SRC_REMOTE_AZURE_SHARED_KEY_H
#define HIPCACHE_SRC_REMOTE_AZURE_SHARED_KEY_H

#include <cstdint>
#include <map>
#include <string>

#include "remote/objects/world.h"

namespace hipcache::remote {

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

}  // namespace hipcache::remote

#endif
