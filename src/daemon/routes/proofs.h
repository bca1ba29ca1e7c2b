// Proofs about a compiler, made with a small source of hipcache's own. One shows that the compiler writes the same host
// object around any fatbin (plan.h, DeferredFatbin). The other shows that it makes the same code object in two
// processes as in one (SplitCodegen).
//
// A proof is a step like any other: looked up by what the compiler is, and run by the client if it is not stored. Equal
// proofs of several clients run once. This daemon does not retry a proof that failed or could not be stored.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_PROOFS_H
#define HIPCACHE_SRC_DAEMON_ROUTES_PROOFS_H

#include <optional>
#include <string_view>
#include <vector>

#include "daemon/request/request_context.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

// A kind of proof.
struct ProofKind {
  // Whether the step's two outputs make a proof. Deterministic in their bytes.
  bool (*compare)(std::string_view first, std::string_view second);
  void (stats::Counters::*count)(bool hit);
  const char* failure;  // the message if they do not
};

inline constexpr ProofKind kDeferredFatbinProofs{.compare = hip::is_deferred_fatbin_proof,
                                                 .count = &stats::Counters::proof,
                                                 .failure = "the compiler's code depends on the fatbin"};
inline constexpr ProofKind kSplitCodegenProofs{.compare = hip::is_split_codegen_proof,
                                               .count = &stats::Counters::split_codegen_proof,
                                               .failure = "the compiler makes something else in two processes"};

// Whether the proof holds, by what is stored or doubted; nothing if neither says.
std::optional<bool> known_proof(const hip::Step& proof, const ProofKind& kind, const RequestContext& context);

// Whether each proof holds. The client runs unknown proofs in parallel, unless the cache is read-only: then they would
// run again for every compile.
std::vector<bool> prove(const std::vector<const hip::Step*>& proofs, const ProofKind& kind,
                        const RequestContext& context);

}  // namespace hipcache::daemon

#endif
