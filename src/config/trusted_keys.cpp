#include "hipcache/config/trusted_keys.h"

#include <cstdint>
#include <set>

namespace hipcache::config {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::size_t kTextSize = 44;  // of 32 bytes in base64, with one "=" at the end

// Only the one form that an encoder writes: the bits that are left over are zero.
std::optional<std::string> bytes_in(std::string_view text) {
  if (text.size() != kTextSize || text.back() != '=') return std::nullopt;
  text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : text) {
    const auto digit = kDigits.find(letter);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
    bits &= (1U << count) - 1;
  }
  return bits == 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

Result<TrustedKey> parse_trusted_key(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::optional<std::string> key =
      colon == std::string_view::npos ? std::nullopt : bytes_in(text.substr(colon + 1));
  if (name.empty() || name.find_first_not_of(kNameLetters) != std::string_view::npos || !key)
    return Error{"\"" + std::string(text) +
                 "\" is no public key such as ci:<44 letters of base64>; hipcache --public-key FILE prints the "
                 "one of a private key"};
  return TrustedKey{std::string(name), *key};
}

std::optional<Digest> trust_of(const Settings& settings) {
  if (settings.trusted_keys.empty() && settings.signing_key.empty()) return std::nullopt;
  std::set<std::string> keys;
  for (const std::string& text : settings.trusted_keys)
    if (const Result<TrustedKey> parsed = parse_trusted_key(text); parsed) keys.insert(parsed->key);
  Hasher hasher("hipcache.trusted-keys.1");
  for (const std::string& key : keys) hasher.field(key);
  return hasher.finish();
}

}  // namespace hipcache::config
