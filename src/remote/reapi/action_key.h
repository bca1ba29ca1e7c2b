// Keys of the action cache.
//
// Problem: a REAPI server keeps an ActionResult for the digest of an Action, and nothing else.
// Choice: each list, result and blob of hipcache has an Action that nobody runs: its command line says what it is
// (docs/internals/formats.md). Its digest is the key. Some servers want to see Action and Command before they take a
// result; so an ActionKey has their bytes. Rejected: our own digest as the Action's. Servers may verify it, and other
// clients' actions could be confused with ours.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_ACTION_KEY_H
#define HIPCACHE_SRC_REMOTE_REAPI_ACTION_KEY_H

#include <string>

#include "hipcache/base/digest.h"
#include "remote/reapi/blob_name.h"

namespace hipcache::remote {

// A list is spread over slots, by the id of its path sets: two machines that add different ones seldom meet.
inline constexpr unsigned kSlots = 4;

enum class ActionKind { list, result, blob };

struct ActionKey {
  BlobName name;
  std::string action;   // encoded
  std::string command;  // encoded
};

// `prefix` may be empty. `slot` is 0 for all but lists.
ActionKey make_action_key(const std::string& prefix, ActionKind kind, const Digest& key, unsigned slot = 0);

unsigned slot_of(const Digest& path_set);

}  // namespace hipcache::remote

#endif
