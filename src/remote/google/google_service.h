// Google Cloud Storage, by its JSON interface: an object is one POST, and the generation of an object is its tag.
//
// Rejected: the XML interface, which has S3's form. fake-gcs-server, the reference for tests, does not take its writes.
// Who has HMAC keys can use it as s3://bucket?endpoint=https://storage.googleapis.com.
// Source: "Objects" of the Cloud Storage JSON API. Only reasons that are letters get into a message.
#ifndef HIPCACHE_SRC_REMOTE_GOOGLE_GOOGLE_SERVICE_H
#define HIPCACHE_SRC_REMOTE_GOOGLE_GOOGLE_SERVICE_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

std::unique_ptr<const ObjectService> make_google_service(const config::RemoteUrl& url, World world);

}  // namespace hipcache::remote

#endif
