// Whose results are taken from shared caches: `trusted_keys` in docs/configuration.md.
//
//   trusted_keys = ["ci:xJ+4ePv2bvcYJ8Qb7QLKUmlYrD1oGFrJyPvZtCbTKjA="]
//
// An entry is a name for people, a colon, and an ed25519 public key of 32 bytes in base64, as Nix
// writes its keys. So the whole list fits into one variable, and no file can be missing.
// Rejected: PEM files, which each machine would have to be given besides the setting.
//
// The client reads settings too, so this uses no cryptography. Pure functions.
#ifndef HIPCACHE_CONFIG_TRUSTED_KEYS_H
#define HIPCACHE_CONFIG_TRUSTED_KEYS_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::config {

struct TrustedKey {
  static constexpr std::size_t kSize = 32;  // bytes of an ed25519 public key
  std::string name;
  std::string key;  // kSize bytes
};

// An error says what is wrong with the text, and how a key is written.
Result<TrustedKey> parse_trusted_key(std::string_view text);

// Nothing if every result may be taken: neither trusted_keys nor signing_key is set. Otherwise the
// digest of the trusted keys, whatever their order and names. Our own store keeps results apart by
// it, and by whether signing_key is set (hipcache/cache/remote_results.h).
std::optional<Digest> trust_of(const Settings& settings);

}  // namespace hipcache::config

#endif
