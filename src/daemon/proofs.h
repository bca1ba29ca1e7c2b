// What a compiler was seen to do on a small source of our own, so that it may be believed on the user's: that it writes
// the same host object around any fatbin (plan.h, HostApart), and the same code object in two processes as in one
// (Halves).
//
// A proof is a step like any other: looked up by what the compiler is, and run by the client if it is not stored. Equal
// proofs of several clients are one run. One that fails, or cannot be stored, is not tried again by this daemon.
#ifndef HIPCACHE_DAEMON_PROOFS_H
#define HIPCACHE_DAEMON_PROOFS_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/request.h"
#include "daemon/services.h"
#include "hipcache/plan/plan.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

// Of one kind.
struct Proofs {
  // Whether the step's two outputs are a proof. For equal bytes it says the same every time.
  bool (*compare)(std::string_view first, std::string_view second);
  void (stats::Counters::*count)(bool hit);
  const char* failure;  // what it means if they are none
};

inline constexpr Proofs kHostProofs{.compare = plan::is_proof,
                                    .count = &stats::Counters::proof,
                                    .failure = "the compiler's code depends on the fatbin"};
inline constexpr Proofs kHalvesProofs{.compare = plan::is_halves_proof,
                                      .count = &stats::Counters::halves_proof,
                                      .failure = "the compiler makes something else in two processes"};

// By what is stored or doubted; nothing: neither.
std::optional<bool> known_proof(const plan::Step& proof, const Proofs& kind, const Request& request,
                                const Services& services, store::Lease& lease);

// Whether each of them holds. Those that are not known are run by the client, beside each other, unless the cache is
// read-only: they would be run for every compile.
std::vector<bool> prove(const std::vector<const plan::Step*>& proofs, const Proofs& kind, protocol::Channel& channel,
                        const Request& request, const Services& services, store::Lease& lease);

// Of a proof, or of a step that it is for: its key stands for it.
bool is_doubted(const plan::Step& step, const Request& request, const Services& services);
void doubt(const plan::Step& step, const std::string& why, const Request& request, const Services& services);

// The proof was seen not to hold for a source of the user's: it is doubted, and the stored verdict is turned round, for
// this compiler and all daemons.
void refute(const plan::Step& proof, const std::string& why, const Request& request, const Services& services,
            store::Lease& lease);

}  // namespace hipcache::daemon

#endif
