// Whether storing the result of a link or of an archiver is worthwhile.
//
// The problem: a compile takes seconds and makes a few hundred kilobytes; a link may take 20 ms and make 200 MB. In an
// edit-and-link cycle, each such result is used once. The choice: a result must save enough time for its size. A large
// output that replaces another file comes from such a cycle, so the command runs alone, without trace and copy. A clean
// build starts without outputs, so its links are stored. Rejected: a setting (users do not know these numbers); storing
// at the second run (a clean build would have to run twice before it hits).
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_LINK_WORTH_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_LINK_WORTH_H

#include <cstdint>
#include <optional>

#include "daemon/request/request_context.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::daemon {

inline constexpr std::uint64_t kAlwaysWorth = 1u << 20;            // bytes that are always worth storing
inline constexpr std::uint64_t kBytesPerSavedSecond = 256u << 20;  // allowance for larger results
inline constexpr std::uint64_t kPartOfCache = 50;         // a result may take one part in this many of the cache
inline constexpr std::uint64_t kLargeOutput = 16u << 20;  // no command that replaces a larger file is cached

// `bytes`: the size of all files that the command made in `duration_us`. `max_size`: of the cache; 0: no limit.
bool is_worth_storing(std::uint64_t bytes, std::uint64_t duration_us, std::uint64_t max_size);

// Why the command is passed through before it runs: it replaces a large file. Nothing for compiles. Costs one `stat`.
std::optional<compiler::Uncacheable> not_worth_running(const RequestContext& context);

}  // namespace hipcache::daemon

#endif
