// The directory of this version's store, and the stores of other versions beside it.
//
//   <store>/v3/      this format
//   <store>/v<n>/    another one
//   <store>/db, ...  the oldest, which had no directory of its own
//
// Each format has its own directory, so that two versions of the program can be used in turns. Neither opens, sets
// aside or deletes what the newer one stored. The directory of an older version is removed in three cases: the user
// clears the cache; space is needed and it was not opened for a day; it was not opened for a week. Rejected: converting
// an older store, because a cache may forget. Rejected: keeping the format in the database alone. Then a version would
// have to set another version's database aside before it can work.
#ifndef HIPCACHE_SRC_STORE_LOCAL_DATABASE_VERSIONS_H
#define HIPCACHE_SRC_STORE_LOCAL_DATABASE_VERSIONS_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

// The files of one version's directory (versions.h), and what happens to a damaged database. It is renamed, not
// deleted, so that it can be examined. One such database is kept.
//
//   lock                 held (flock) by the process that has the store open
//   db/                  the database
//   db.damaged-<time>/   a database that was set aside, seconds since the epoch
//   damaged              one line: why the next open must set the database aside
//   served               the database has been of use, so the one set aside before is no longer wanted
//
// A diagnosis may be wrong. Then the database that was set aside is worth more than its replacement. So it is removed
// only after the new database has served, when the user clears the cache, or after a week.
//
// `directory` is the path of an open OwnDirectory, anchored: these functions follow no link in it.

inline constexpr const char* kDatabase = "db";

// The lock is held until the descriptor closes. An error at once if another store, of any process, has it.
Result<UniqueFd> lock_directory(const OwnDirectory& directory);

// Renames the database and logs why. If the one that was set aside before must be kept, this one, which has not served,
// is removed instead.
Status set_aside(const OwnDirectory& directory, const std::string& reason, Log& log);

bool has_set_aside(const OwnDirectory& directory);

// Whether the database that was set aside is no longer wanted: its replacement has served, or a week has passed.
bool is_set_aside_spare(const OwnDirectory& directory);
void remove_set_aside(const OwnDirectory& directory);

void note_served(const OwnDirectory& directory);
bool has_served(const OwnDirectory& directory);

// For damage that is found while the database is open: noted now, acted on by the next open.
void note_damage(const OwnDirectory& directory, const std::string& reason);
std::optional<std::string> noted_damage(const OwnDirectory& directory);

// The space that a directory takes on its file system.

// The bytes allocated to the files at and below `path`, as du counts them. Follows `path` if it is a link, but no link
// below it. What vanishes meanwhile or cannot be read counts as 0.
std::uint64_t allocated_bytes(const std::string& path);

inline constexpr unsigned kVersion = 3;
std::string version_directory();

// Removes the stores of older versions that nobody holds and that were not opened for `unused`; 0: all of them.
// REQUIRES: this version's lock is held.
void remove_older_versions(const OwnDirectory& root, std::chrono::seconds unused);

}  // namespace hipcache::store

#endif
