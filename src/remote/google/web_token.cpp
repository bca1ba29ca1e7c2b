#include "remote/google/web_token.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "remote/layout/sha256.h"
#include "remote/trust/openssl_owned.h"

namespace hipcache::remote {
namespace {

// The alphabet for addresses, without padding.
std::string base64url(const std::string& bytes) {
  std::string text = base64_of(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& letter : text) letter = letter == '+' ? '-' : letter == '/' ? '_' : letter;
  return text;
}

}  // namespace

Result<std::string> signed_web_token(const nlohmann::json& header, const nlohmann::json& claims,
                                     const std::string& pem) {
  const std::string text = base64url(header.dump()) + "." + base64url(claims.dump());
  const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) return Error{"no RSA key in PEM"};
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key.get())), '\0');
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) != 1)
    return Error{"the key does not sign"};
  signature.resize(size);
  return text + "." + base64url(signature);
}

}  // namespace hipcache::remote
