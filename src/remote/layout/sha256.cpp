#include "remote/layout/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace hipcache::remote {
namespace {

using Hash = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string bytes_of(const Hash& hash, unsigned int size) { return {reinterpret_cast<const char*>(hash.data()), size}; }

}  // namespace

std::string sha256(std::string_view bytes) {
  Hash hash{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, EVP_sha256(), nullptr) != 1) size = 0;
  return bytes_of(hash, size);
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  Hash hash{};
  unsigned int size = 0;
  const auto* text = reinterpret_cast<const unsigned char*>(bytes.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), text, bytes.size(), hash.data(), &size) == nullptr)
    size = 0;
  return bytes_of(hash, size);
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char letter : bytes) {
    const auto byte = static_cast<unsigned char>(letter);
    digits.append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 15U]);
  }
  return digits;
}

}  // namespace hipcache::remote
