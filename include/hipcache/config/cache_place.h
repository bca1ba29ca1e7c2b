// Opens the cache directory with the access that the settings allow: one user's, or shared by a
// group.
//
// Problem: users of a group want one cache, but whoever may change its contents decides what is
// served.
// Choice: a directory that its group may write to, with the set-group-ID and the sticky bit.
// Members make their own entries in it, which belong to the directory's group. No member can write
// to or replace another's entries. With HIPCACHE_UMASK=007 (or 002) the user asks for this, and
// trusts the members of the directory's group.
// Rejected: reading that wish from the directory's mode (its owner would decide whom its users
// trust).
#ifndef HIPCACHE_CONFIG_CACHE_PLACE_H
#define HIPCACHE_CONFIG_CACHE_PLACE_H

#include <sys/types.h>

#include <optional>

#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::config {

// Opens and checks the directory without making it: ErrorCode::gone if it is missing.
Result<OwnDirectory> open_cache_directory(const Settings& settings);
// The same, but makes the directory and its parents if it is missing.
Result<OwnDirectory> open_or_make_cache_directory(const Settings& settings);

// Whether the umask lets a group share the cache.
bool lets_group_write(const Settings& settings);

// The group whose members share the directory; nothing if only one user uses it.
std::optional<gid_t> group_sharing(const Settings& settings, const OwnDirectory& directory);

}  // namespace hipcache::config

#endif
