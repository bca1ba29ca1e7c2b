// Whether the result of a link or of an archiver is worth its place in the store.
//
// The problem: a compile takes seconds and makes a few hundred kilobytes; a link may take 20 ms and make 200 MB. And
// who edits and links again asks for each of those results once. The choice: what is stored must save time for its
// size; and a large file that would replace another is the result of an edit, so it is left to the linker alone, with
// no trace and no copy. A clean build begins without outputs, so its links are stored. Rejected: a setting (nobody
// knows these numbers of their links); storing at the second run (a clean build is asked for once before it hits).
#ifndef HIPCACHE_DAEMON_LINK_WORTH_H
#define HIPCACHE_DAEMON_LINK_WORTH_H

#include <cstdint>
#include <optional>

#include "daemon/request.h"
#include "daemon/services.h"
#include "hipcache/action/action_cache.h"
#include "hipcache/command/invocation.h"

namespace hipcache::daemon {

inline constexpr std::uint64_t kAlwaysWorth = 1u << 20;            // bytes that are stored whatever they save
inline constexpr std::uint64_t kBytesPerSavedSecond = 256u << 20;  // beyond that
inline constexpr std::uint64_t kPartOfCache = 50;                  // no result is larger than one part of so many
inline constexpr std::uint64_t kLargeOutput = 16u << 20;           // that is not cached where it replaces another

// `bytes`: of all files that the command made, in `duration_us`. `max_size`: of the cache, 0: no limit.
bool is_worth_storing(std::uint64_t bytes, std::uint64_t duration_us, std::uint64_t max_size);

// Why the command is left alone before it runs: it replaces a large file, or its result was not worth storing when it
// ran last. Nothing for compiles. One `stat` and one look into the store.
std::optional<command::Uncacheable> not_worth_running(const Request& request, const action::ActionKey& key,
                                                      const Services& services);

// Remembers that the result was not worth storing.
void note_not_worth(const action::ActionKey& key, const Services& services);

}  // namespace hipcache::daemon

#endif
