// SHA-256 and HMAC-SHA-256, by OpenSSL: where a protocol demands them. Digests of hipcache's own are BLAKE3
// (hipcache/base/digest.h). Raw bytes, empty if OpenSSL fails, which it does only without memory.
#ifndef HIPCACHE_SRC_REMOTE_LAYOUT_SHA256_H
#define HIPCACHE_SRC_REMOTE_LAYOUT_SHA256_H

#include <openssl/bio.h>
#include <openssl/evp.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hipcache::remote {

// Owners of what OpenSSL makes, for those that sign.
struct OpensslFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, OpensslFree>;

// Instead of the passphrase of a key. Without it OpenSSL asks at the terminal.
inline int no_passphrase(char* /*into*/, int /*size*/, int /*writes*/, void* /*context*/) { return -1; }

std::string sha256(std::string_view bytes);

// The same piece by piece, for what does not fit into memory. Used by one thread.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // Of all that was added. Once.
  std::string finish();

 private:
  Owned<EVP_MD_CTX> context_;  // null if OpenSSL has failed
};

std::string hmac_sha256(std::string_view key, std::string_view bytes);

// Two small hexadecimal digits for each byte.
std::string hex_of(std::string_view bytes);

std::string base64_of(std::string_view bytes);
// The bytes of a base64 text; nothing if it is none.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace hipcache::remote

#endif
