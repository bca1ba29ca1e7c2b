// What the settings trusted_keys and signing_key ask for (docs/remote.md has the table).
//
// With a signing key alone nothing is taken, because a machine must not sign what it made of results that nobody
// vouches for. A machine's own key is trusted only if it is in the list. So when it is replaced, what it signed is no
// longer taken. A signing key that cannot be used ends writing, and no compile. Immutable; thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_TRUST_TRUST_H
#define HIPCACHE_SRC_REMOTE_TRUST_TRUST_H

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "remote/layout/values.h"

struct evp_pkey_st;  // OpenSSL's

namespace hipcache::remote {

// Signatures of results: who made a result, whoever stores it.
//
// Problem: digests show damage, but anybody who may write to a server can make them. Choice: ed25519, by OpenSSL, over
// the result key and the encoded result (docs/internals/formats.md). The result key stands for the command, the
// compiler and all inputs; so a signature serves for nothing else. Lists need none: docs/security.md has the argument.
// Rejected: a secret that all machines share (HMAC), for then every reader could write. Rejected: a digest of these
// bytes as what is signed, because ed25519 takes bytes of any length, and openssl(1) can then check them.
//
// Thread-safe.
class SigningKey {
 public:
  // A PEM file. An error is one line that names the file and the mend. Refused as by ssh: a file of ours that others
  // may read or write, and any file that all may.
  static Result<SigningKey> read(const std::string& path);
  // An error says `name` in place of the path.
  static Result<SigningKey> read(const std::string& path, const std::string& name);

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

enum class Verdict { trusted, not_signed, untrusted };

class Trust {
 public:
  Trust() = default;  // neither setting
  // `signing_key`: a path, or empty. REQUIRES: config::parse_trusted_key takes each of the keys.
  Trust(const std::vector<std::string>& trusted_keys, const std::string& signing_key);

  // For people; empty if results are taken, or new ones written.
  const std::string& why_not_read() const { return why_not_read_; }
  const std::string& why_not_written() const { return why_not_written_; }
  // Whether one of them calls for a change of the settings.
  bool is_in_trouble() const { return is_in_trouble_; }

  Verdict judge(const Digest& key, const RemoteResult& result) const;
  // Does nothing if there is no key.
  Status sign(const Digest& key, RemoteResult& result) const;

 private:
  std::set<std::string> trusted_;
  std::optional<SigningKey> signing_;
  std::string why_not_read_;
  std::string why_not_written_;
  bool is_in_trouble_ = false;
};

}  // namespace hipcache::remote

#endif
