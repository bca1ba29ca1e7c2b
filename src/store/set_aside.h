// The files of one version's directory (versions.h), and what becomes of a database that is damaged: it is renamed, not
// deleted, so that it can be looked at. One such is kept.
//
//   lock                 held (flock) by the process that has the store open
//   db/                  the database
//   db.damaged-<time>/   a database that was set aside, seconds since the epoch
//   damaged              one line: why the database is to be set aside at the next open
//   served               the database has been of use: what was set aside before it is wanted no more
//
// A diagnosis may be wrong, and then what was set aside is worth more than what replaced it. So it is removed only once
// the new database has served, or when the user clears the cache, or after a week.
//
// `directory` is the path of an open OwnDirectory, anchored: these functions follow no link in it.
#ifndef HIPCACHE_STORE_SET_ASIDE_H
#define HIPCACHE_STORE_SET_ASIDE_H

#include <optional>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

inline constexpr const char* kDatabase = "db";

// Held until the descriptor closes. An error at once if another store, of this process or another, has it.
Result<UniqueFd> lock_directory(const OwnDirectory& directory);

// Moves the database out of the way and says so in the log. Where the one set aside before is to be kept, this one,
// which has not served, is removed instead.
Status set_aside(const OwnDirectory& directory, const std::string& reason, Log& log);

bool has_set_aside(const OwnDirectory& directory);

// Whether nobody wants what was set aside any more: the database has served since, or a week is over.
bool is_set_aside_spare(const OwnDirectory& directory);
void remove_set_aside(const OwnDirectory& directory);

void note_served(const OwnDirectory& directory);
bool has_served(const OwnDirectory& directory);

// For damage found while the database is open: noted now, acted on at the next open.
void note_damage(const OwnDirectory& directory, const std::string& reason);
std::optional<std::string> noted_damage(const OwnDirectory& directory);

}  // namespace hipcache::store

#endif
