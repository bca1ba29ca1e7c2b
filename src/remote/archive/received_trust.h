// What the daemon says of trusted_keys and signing_key: its first message.
//
// Its settings count and not those of the user's environment now, as for shared caches. The private key is read here,
// by the user's own process, and leaves it in no form.
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_RECEIVED_TRUST_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_RECEIVED_TRUST_H

#include "hipcache/base/result.h"
#include "hipcache/protocol/channel.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {

Result<Trust> receive_trust(protocol::Channel& channel);

}  // namespace hipcache::remote

#endif
