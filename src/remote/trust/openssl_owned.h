// Owners of what OpenSSL makes, for those that sign.
#ifndef HIPCACHE_SRC_REMOTE_TRUST_OPENSSL_OWNED_H
#define HIPCACHE_SRC_REMOTE_TRUST_OPENSSL_OWNED_H

#include <openssl/bio.h>
#include <openssl/evp.h>

#include <memory>

namespace hipcache::remote {

struct OpensslFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, OpensslFree>;

// Instead of the passphrase of a key. Without it OpenSSL asks at the terminal.
inline int no_passphrase(char* /*into*/, int /*size*/, int /*writes*/, void* /*context*/) { return -1; }

}  // namespace hipcache::remote

#endif
