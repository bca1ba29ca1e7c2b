// A publication as a shared cache keeps it: small blobs in the result, the others beside it.
#ifndef HIPCACHE_SRC_REMOTE_LAYOUT_DIVIDED_H
#define HIPCACHE_SRC_REMOTE_LAYOUT_DIVIDED_H

#include <string>
#include <vector>

#include "remote/layout/values.h"

namespace hipcache::remote {

struct Divided {
  RemoteResult result;
  std::vector<const RemoteBlob*> large;
  std::vector<Digest> names;  // of the large ones
};

// REQUIRES: `blobs` outlives the result.
Divided divide(const std::string& action, const std::vector<RemoteBlob>& blobs);

}  // namespace hipcache::remote

#endif
