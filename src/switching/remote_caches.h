// Shared caches of other tools as URLs of hipcache (config/remote_url.h).
#ifndef HIPCACHE_SRC_SWITCHING_REMOTE_CACHES_H
#define HIPCACHE_SRC_SWITCHING_REMOTE_CACHES_H

#include <string>
#include <string_view>
#include <vector>

#include "switching/found_setting.h"

namespace hipcache::switching {

struct RemoteCaches {
  std::vector<std::string> urls;      // in the order in which they are asked; with their secrets
  std::vector<std::string> left_out;  // names of settings, or of properties, that no URL has
};

// "http://a|read-only redis://:pw@b|connect-timeout=50", and properties after a blank ("@bearer-token=..."), as newer
// versions write them.
RemoteCaches of_ccache(std::string_view remote_storage);

// The tables of sccache's storages that hipcache has, in the order of cache.multilevel.chain if there is one.
RemoteCaches of_sccache(const FoundSettings& found);

// For the value of an option in a URL's query, and for user, password or path.
std::string percent_encoded(std::string_view text);

}  // namespace hipcache::switching

#endif
