// Azure Blob Storage: GET, HEAD and PUT of a block blob. Conditions are If-Match with the entity tag that was read, and
// If-None-Match: * for a new blob.
//
// What an answer means its code says (the header x-ms-error-code, else the body), else its status. Codes: "Blob Storage
// error codes" and "Common REST API error codes". Only codes that are letters and digits get into a message.
#ifndef HIPCACHE_SRC_REMOTE_AZURE_AZURE_SERVICE_H
#define HIPCACHE_SRC_REMOTE_AZURE_AZURE_SERVICE_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

std::unique_ptr<const ObjectService> make_azure_service(const config::RemoteUrl& url, World world);

}  // namespace hipcache::remote

#endif
