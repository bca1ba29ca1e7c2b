// Entries of the miss history (miss_history.h) on their way to other machines: in archives and in shared caches.
//
// Problem: a machine that has just begun has no history. It would say of every miss that nothing is stored, although
// other machines compiled the same object a minute ago.
// Choice: an entry travels as a result does: under the name of its output there is a list of commands, and under each
// command the newest entry with its path set. So it passes every server, archive and signature as results do, and a
// machine of an older version ignores it. Shared by a list, at most as many commands as a list has path sets.
// Rejected: whole histories as one value, which machines that write at the same time would take from each other.
//
// Bounded: an entry and its path set have at most kMaxSharedHistoryBytes; a larger one stays at home.
#ifndef HIPCACHE_CACHE_SHARED_HISTORY_H
#define HIPCACHE_CACHE_SHARED_HISTORY_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/cache/remote_results.h"

namespace hipcache::cache {

inline constexpr std::uint64_t kMaxSharedHistoryBytes = 1u << 20;  // before compression

// What the action of such a publication says.
struct SharedHistory {
  RemoteBlobName entry;
  RemoteBlobName path_set;  // of size 0 if the entry has none
};

std::optional<SharedHistory> decode_shared_history(std::string_view action);

// `name`: of the output's history; `blob`: of the entry. Nothing if it is too large.
std::optional<Publication> history_publication(const Digest& name, const HistoryEntry& entry,
                                               const RemoteBlobName& blob);

// Of at most kMaxHistoryEntries commands, newest first. What is damaged is left out.
std::vector<HistoryEntry> fetch_histories(const Digest& name, RemoteResults& remote);

}  // namespace hipcache::cache

#endif
