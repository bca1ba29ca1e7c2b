// The contents of files here in the digest of a worker's trace (trace/seen.h), which differs from the one that hipcache
// knows its inputs by.
//
// The problem: a proof compares some hundred headers, and their bytes take half of an action's processor time here. The
// choice: each content's digest for traces is remembered by hipcache's own digest of it, which the file system state
// gives for a stat. So what is trusted without reading is what each hit trusts. Rejected: hipcache's digest in traces,
// because the trace library would need a cryptographic hash.
//
// Thread-safe. Memory: kMost pairs of digests.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_KNOWN_CONTENTS_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_KNOWN_CONTENTS_H

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/file_system_state.h"

namespace hipcache::daemon {

class KnownContents {
 public:
  static constexpr std::size_t kMost = 100'000;

  // As trace::content_of.
  std::optional<std::uint64_t> of(const std::string& path, inputs::FileSystemState& file_system);

 private:
  std::mutex mutex_;  // guards the next
  std::unordered_map<Digest, std::uint64_t> known_;
};

}  // namespace hipcache::daemon

#endif
