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

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) context_.reset();
}

void Sha256::add(std::string_view bytes) {
  if (context_ && EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) context_.reset();
}

std::string Sha256::finish() {
  Hash hash{};
  unsigned int size = 0;
  if (!context_ || EVP_DigestFinal_ex(context_.get(), hash.data(), &size) != 1) size = 0;
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

std::string base64_of(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // and a zero
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;  // OpenSSL would skip blanks around it
  std::string bytes(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;  // OpenSSL counts it
  if (size < 0 || static_cast<std::size_t>(size) < padding) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

}  // namespace hipcache::remote
