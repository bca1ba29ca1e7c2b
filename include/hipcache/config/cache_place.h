// The cache directory as the settings have it: of one user alone, or shared by a group.
//
// Problem: users of a group want one cache, and whoever may change what it holds decides what is served.
// Choice: a directory that its group may write to, with the set-group-ID and the sticky bit. Members make entries of
// their own in it, each of the directory's group; a member can neither write to another's entries nor replace them.
// HIPCACHE_UMASK=007 (or 002) says that the user wants this, and trusts the members of the directory's group.
// Rejected: to take the directory's mode alone for that wish (whoever owns a place would decide whom its users trust).
#ifndef HIPCACHE_CONFIG_CACHE_PLACE_H
#define HIPCACHE_CONFIG_CACHE_PLACE_H

#include <sys/types.h>

#include <optional>

#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::config {

// Opened and checked, without making it: ErrorCode::gone if it is missing.
Result<OwnDirectory> open_cache_directory(const Settings& settings);
// The same, made with its parents if it is missing.
Result<OwnDirectory> open_or_make_cache_directory(const Settings& settings);

// Whether the umask lets a group share the cache.
bool lets_group_write(const Settings& settings);

// The group whose members share the directory; nothing if it is one user's.
std::optional<gid_t> group_sharing(const Settings& settings, const OwnDirectory& directory);

}  // namespace hipcache::config

#endif
