// Signatures of results: who made a result, whoever stores it.
//
// Problem: digests show damage, but anybody who may write to a server can make them. Choice: ed25519, by OpenSSL, over
//
//   "hipcache.result.signature.1"  a zero byte  "r"  result key (32 bytes)  encoded ActionResult
//
// The result key stands for the command, the compiler and all inputs; so a signature serves for nothing else. The
// encoded result names each output by its digest, so the signature covers all contents, and blobs need none. Lists need
// none either: docs/security.md has the argument.
// Rejected: a secret that all machines share (HMAC), for then every reader could write. Rejected: a digest of these
// bytes as what is signed, because ed25519 takes bytes of any length, and openssl(1) can then check them.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_TRUST_SIGNATURES_H
#define HIPCACHE_SRC_REMOTE_TRUST_SIGNATURES_H

#include <memory>
#include <string>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "remote/layout/values.h"

struct evp_pkey_st;  // OpenSSL's

namespace hipcache::remote {

class SigningKey {
 public:
  // A PEM file. An error is one line that names the file and the mend. Refused as by ssh: a file of ours that others
  // may read or write, and any file that all may.
  static Result<SigningKey> read(const std::string& path);

  const std::string& public_key() const { return public_key_; }  // Signature::kKeySize bytes
  Result<Signature> sign(const Digest& key, const RemoteResult& result) const;

 private:
  SigningKey(std::shared_ptr<evp_pkey_st> key, std::string public_key)
      : key_(std::move(key)), public_key_(std::move(public_key)) {}

  std::shared_ptr<evp_pkey_st> key_;
  std::string public_key_;
};

// Whether the result's signature is one of its own public key for that result key.
bool has_valid_signature(const Digest& key, const RemoteResult& result);

// "name:base64", as trusted_keys has it. The name is the file's, without its directory and ending.
std::string shown_public_key(const std::string& path, const SigningKey& key);

}  // namespace hipcache::remote

#endif
