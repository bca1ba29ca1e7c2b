#include "remote/backends/open_backend.h"

#include "remote/backends/redis_store.h"
#include "remote/objects/object_service.h"
#include "remote/reapi/reapi_backend.h"

namespace hipcache::remote {

namespace {

std::unique_ptr<KeyValue> open_store(const config::RemoteUrl& url) {
  const World world;
  switch (url.kind) {
    case config::RemoteKind::file:
      return make_file_store(url.path);
    case config::RemoteKind::http:
      return make_http_store(url);
    case config::RemoteKind::redis:
      return make_redis_store(url);
    case config::RemoteKind::s3:
      return make_object_store(make_s3_service(url, world.variables), world.now);
    case config::RemoteKind::google:
      return make_object_store(make_google_service(url, world), world.now);
    case config::RemoteKind::azure:
      return make_object_store(make_azure_service(url, world), world.now);
    case config::RemoteKind::grpc:
      break;  // not a plain store
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Backend> open_backend(const config::RemoteUrl& url) {
  if (url.kind == config::RemoteKind::grpc) return make_reapi_backend(url);
  return make_plain_backend(open_store(url), url.prefix, url.max_bytes);
}

}  // namespace hipcache::remote
