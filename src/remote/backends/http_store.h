// A web server as a plain store: GET, HEAD and PUT of a path.
//
// WebDAV. A server that says so (an OPTIONS with MOVE in Allow) may write a PUT in place, as Apache does: so a value is
// put to a temporary name and moved. Others (nginx, object stores) replace a value at once, and get a plain PUT. A
// server that wants collections to exist (409) gets MKCOL, also for those of the URL's path.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_HTTP_STORE_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_HTTP_STORE_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/layout/key_value.h"

namespace hipcache::remote {

std::unique_ptr<KeyValue> make_http_store(const config::RemoteUrl& url);

}  // namespace hipcache::remote

#endif
