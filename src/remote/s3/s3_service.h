// S3: GET, HEAD and PUT of an object, signed (signature.h). Conditions are If-Match with the entity tag that was read,
// and If-None-Match: * for a new object.
//
// What an answer means its code says (ErrorCode in the body), else its status. Codes: "Error responses" of the Amazon
// S3 API reference. Only codes that are letters and digits, and names of regions, get into a message.
#ifndef HIPCACHE_SRC_REMOTE_S3_S3_SERVICE_H
#define HIPCACHE_SRC_REMOTE_S3_S3_SERVICE_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

std::unique_ptr<const ObjectService> make_s3_service(const config::RemoteUrl& url, Variables variables);

}  // namespace hipcache::remote

#endif
