// A worker's trace as a trace of this machine: the proof that its result is what a run here would have made.
//
// The problem: a worker reads its own files. If its tree lacks a header that is here, or its image has another one, the
// compile succeeds and makes another object. The choice: the trace library on the worker records the digest of each
// content and the kind of each entry (hipcache/trace/record.h: kContents). Each record is compared with what is here
// now. If all agree, each gets the identity of the file here, and the trace then goes the way of every run: path set,
// race guard, refusals (inputs/path_set_builder.h). Rejected: trust in the tree that was sent, because bind mounts of
// an image hide parts of it; comparing what was there before and after, because only the comparison says what was read.
//
// docs/execution.md lists what is compared, and what is never proved. Contents of programs and libraries are compared
// by their build ids (trace::content_of_program); targets of links and resolved paths, by the race guard. Which of the
// opened files are one file counts as well: engines stage equal contents as one file, and clang takes such a file for
// one that it has included already. Allowed to differ: the process identity in /proc, the temporary directory's
// variable, and all times.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_LOCAL_TRACE_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_LOCAL_TRACE_H

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "daemon/shared/bounded_map.h"
#include "hipcache/base/digest.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// The contents of files here in the digest of a worker's trace (trace/seen.h), which differs from the one that hipcache
// knows its inputs by.
//
// The problem: a proof compares some hundred headers, and their bytes take half of an action's processor time here. The
// choice: each content's digest for traces is remembered by hipcache's own digest of it, which the file system state
// gives for a stat. So what is trusted without reading is what each hit trusts. Rejected: hipcache's digest in traces,
// because the trace library would need a cryptographic hash.
//
// Thread-safe. Memory: 100,000 pairs of digests.
class KnownContents {
 public:
  // As trace::content_of.
  std::optional<std::uint64_t> of(const std::string& path, inputs::FileSystemState& file_system);

 private:
  BoundedMap<Digest, std::uint64_t, 100'000> known_;
};

// Why a worker's result says nothing about this machine.
struct Unproved {
  std::string reason;  // for statistics: "other-content"
  std::string path;    // or the name that was asked about
};

// What a trace is compared with.
struct ThisMachine {
  const inputs::RunContext& from;
  const std::string& directory;  // the request's own
  KnownContents& contents;
  inputs::FileSystemState& file_system;
};

// The records as a run here would have left them. `sent`: the names of the variables that the action brought with their
// values of here; another one that is set there may have any value. `started_ns`: a moment of the file clock before the
// call; what changed since is told from what was compared.
std::variant<std::vector<trace::Record>, Unproved> local_trace(const std::vector<trace::Record>& remote,
                                                               const ThisMachine& here,
                                                               const std::set<std::string>& sent,
                                                               std::uint64_t started_ns);

}  // namespace hipcache::daemon

#endif
