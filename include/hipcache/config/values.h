// Converts sizes, durations and booleans between the texts that users write and numbers. Each error
// says what the text is and what it should be, without the key: the caller knows where the text
// came from. Options of the command line use them as well. Pure functions.
#ifndef HIPCACHE_CONFIG_VALUES_H
#define HIPCACHE_CONFIG_VALUES_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::config {

// Whose results are taken from shared caches: `trusted_keys` in docs/configuration.md.
//
//   trusted_keys = ["ci:xJ+4ePv2bvcYJ8Qb7QLKUmlYrD1oGFrJyPvZtCbTKjA="]
//
// An entry is a name for people, a colon, and an ed25519 public key of 32 bytes in base64, as Nix
// writes its keys. So the whole list fits into one variable, and no file can be missing.
// Rejected: PEM files, which each machine would have to be given besides the setting.
//
// The client reads settings too, so this uses no cryptography. Pure functions.

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

// "500M", "1.5GiB", "20 gb", "0". k, M, G and T are powers of 1000, or of 1024 with "i", as in
// ccache. Without a unit: bytes.
Result<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);

// "600" (seconds), "90s", "10m", "2h", "1d".
Result<std::chrono::seconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::seconds duration);

// "1", "true", "yes", "on"; "0", "false", "no", "off"; in any case.
Result<bool> parse_boolean(std::string_view text);

Result<unsigned> parse_count(std::string_view text);

// "0.01", "1", "1e-4": a part of the whole.
Result<double> parse_share(std::string_view text);
std::string format_share(double share);

// "077", "7": a umask, in octal digits.
Result<unsigned> parse_umask(std::string_view text);
std::string format_umask(unsigned mask);

// Separated by commas or spaces; URLs contain neither unescaped.
std::vector<std::string> parse_list(std::string_view text);
std::string format_list(const std::vector<std::string>& list);

// Separated by commas only, because directory names may contain blanks. Blanks around a name are
// removed.
std::vector<std::string> parse_directories(std::string_view text);

// Separated by colons, as in PATH, or by commas, as list items from the file are. No base
// directory's name can contain either.
std::vector<std::string> parse_path_list(std::string_view text);
std::string format_path_list(const std::vector<std::string>& list);

}  // namespace hipcache::config

#endif
