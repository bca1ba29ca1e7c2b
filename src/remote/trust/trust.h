// What the settings trusted_keys and signing_key ask for.
//
//   trusted_keys  signing_key   results are taken                   new results are written
//   no            no            all                                 as they are
//   yes           no            signed by a trusted key             not: others like this machine would not take them
//   yes           yes           signed by a trusted key             signed
//   no            yes           none                                signed
//
// In the last row nothing is taken, because a machine must not sign what it made of results that nobody vouches for. A
// machine's own key is trusted only if it is in the list. So when it is replaced, what it signed is no longer taken.
//
// A signing key that cannot be used ends writing, and no compile. Immutable; thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_TRUST_TRUST_H
#define HIPCACHE_SRC_REMOTE_TRUST_TRUST_H

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/channel.h"
#include "remote/layout/values.h"
#include "remote/trust/signatures.h"

namespace hipcache::remote {

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

// What the daemon says of trusted_keys and signing_key: its first message.
//
// Its settings count and not those of the user's environment now, as for shared caches. The private key is read here,
// by the user's own process, and leaves it in no form.

Result<Trust> receive_trust(protocol::Channel& channel);

}  // namespace hipcache::remote

#endif
