// From a tier's URL to its backend. Opening touches nothing: a daemon starts without a network.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_OPEN_BACKEND_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_OPEN_BACKEND_H

#include <memory>
#include <string>

#include "hipcache/config/remote_url.h"
#include "remote/layout/backend.h"
#include "remote/layout/key_value.h"

namespace hipcache::remote {

// A directory as a plain store: a network file system, or a directory that CI keeps between runs.
//
// A value is written to a temporary file and renamed. Lists are changed under a lock (flock) of their directory, which
// network file systems of today share between machines; where they do not, the rename still keeps values whole.

std::unique_ptr<KeyValue> make_file_store(const std::string& directory);

// A web server as a plain store: GET, HEAD and PUT of a path.
//
// WebDAV. A server that says so (an OPTIONS with MOVE in Allow) may write a PUT in place, as Apache does: so a value is
// put to a temporary name and moved. Others (nginx, object stores) replace a value at once, and get a plain PUT. A
// server that wants collections to exist (409) gets MKCOL, also for those of the URL's path.

std::unique_ptr<KeyValue> make_http_store(const config::RemoteUrl& url);

std::unique_ptr<Backend> open_backend(const config::RemoteUrl& url);

}  // namespace hipcache::remote

#endif
