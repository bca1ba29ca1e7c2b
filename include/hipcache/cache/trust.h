// Which results count, if some do not: the settings trusted_keys and signing_key, as the cache needs them.
//
// Problem: a machine must sign only what it compiled, or took with a trusted signature. The result of a
// request is made of results of steps, so what came from elsewhere would be signed with it. Settings
// change, and the store stays: a daemon without a signing key takes results from seeds and from other
// stores of the machine, and the next daemon has the key.
// Choice: where our own store keeps a result says how it came there. A daemon that signs has a place of
// its own for each result, under H(signable; trusted keys, result key). It looks there alone. No daemon
// without the key writes there, so whatever a signing daemon finds was compiled or taken by a signing
// daemon. A daemon that does not sign writes under H(trusted; trusted keys, result key), and looks in both.
// Earlier versions of hipcache wrote there, whoever wrote: unknown, so never signed.
// Rejected: a mark in each result that says where it came from. Each result that is made of others would
// have to pass it on: those of requests, and those that rest on a stored plan or proof. One place that
// forgets it, and a signature lies. Rejected: also signing what this machine compiled while it had no key,
// because a build without the key is no trusted build.
#ifndef HIPCACHE_CACHE_TRUST_H
#define HIPCACHE_CACHE_TRUST_H

#include "hipcache/base/digest.h"

namespace hipcache::cache {

struct Trust {
  Digest keys;         // digest of the trusted keys
  bool signs = false;  // whether what this daemon records is signed
  bool operator==(const Trust&) const = default;
};

}  // namespace hipcache::cache

#endif
