// The daemon's settings as the cache's trust.
#ifndef HIPCACHE_SRC_DAEMON_REMOTE_RESULT_TRUST_H
#define HIPCACHE_SRC_DAEMON_REMOTE_RESULT_TRUST_H

#include <optional>

#include "hipcache/cache/trust.h"
#include "hipcache/config/settings.h"
#include "hipcache/config/trusted_keys.h"

namespace hipcache::daemon {

// A signing key that cannot be read counts as one: what is recorded meanwhile may be signed later.
inline std::optional<cache::Trust> result_trust(const config::Settings& settings) {
  const std::optional<Digest> keys = config::trust_of(settings);
  if (!keys) return std::nullopt;
  return cache::Trust{.keys = *keys, .signs = !settings.signing_key.empty()};
}

}  // namespace hipcache::daemon

#endif
