#include "remote/layout/divided.h"

namespace hipcache::remote {

Divided divide(const std::string& action, const std::vector<RemoteBlob>& blobs) {
  Divided divided{.result = {.action = action, .blobs = {}}};
  std::size_t used = 0;
  for (const RemoteBlob& blob : blobs) {
    if (blob.bytes.size() <= kInlineBlob && used + blob.bytes.size() <= kInlineBlobs) {
      used += blob.bytes.size();
      divided.result.blobs.push_back(blob);
    } else {
      divided.large.push_back(&blob);
      divided.names.push_back(blob.digest);
    }
  }
  return divided;
}

}  // namespace hipcache::remote
