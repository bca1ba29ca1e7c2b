// A bucket as a plain store: GET, HEAD and PUT of an object, signed (signature.h).
//
// Lists are changed with conditions: If-Match with the entity tag that was read, or If-None-Match: * for a new list. A
// writer who comes second gets 412, reads again and merges, so no path set is lost. Not every server that speaks S3
// knows conditions: one may refuse them (501), another ignore them. So the first list that is written is followed by a
// write of the same bytes which must fail. Where it does not, lists are changed as on a plain web server
// (layout/key_value.h). Rejected: an object for each path set, which needs a listing in each look-up.
//
// A clock that is wrong by more than 15 minutes is refused: then the server's clock counts, and the request is sent
// once more. If the server says that credentials have ended, they are searched for again; a write waits for that and is
// sent once more, a look-up is a miss.
#ifndef HIPCACHE_SRC_REMOTE_S3_S3_STORE_H
#define HIPCACHE_SRC_REMOTE_S3_S3_STORE_H

#include <memory>

#include "hipcache/config/remote_url.h"
#include "remote/layout/key_value.h"
#include "remote/s3/access_source.h"

namespace hipcache::remote {

// What the store takes from the process; tests give their own.
struct S3World {
  Variables variables;
  AccessSource::WallClock now;
};
S3World this_process();

std::unique_ptr<KeyValue> make_s3_store(const config::RemoteUrl& url, S3World world = this_process());

}  // namespace hipcache::remote

#endif
