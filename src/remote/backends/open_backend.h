// From a tier's URL to its backend. Opening touches nothing: a daemon starts without a network.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_OPEN_BACKEND_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_OPEN_BACKEND_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"

namespace hipcache::remote {

std::unique_ptr<Backend> open_backend(const config::RemoteUrl& url);

}  // namespace hipcache::remote

#endif
