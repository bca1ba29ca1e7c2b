// The directory of this version's store, the stores of other versions beside it, and what happens to a damaged database
// (docs/internals/formats.md has the names, and the rules by which a store or database is removed).
//
// Each format has its own directory, so that two versions of the program can be used in turns. Rejected: converting an
// older store, because a cache may forget. Rejected: keeping the format in the database alone. Then a version would
// have to set another version's database aside before it can work.
//
// A damaged database is renamed, not deleted: a diagnosis may be wrong, and then what was set aside is worth more than
// its replacement.
#ifndef HIPCACHE_SRC_STORE_VERSIONS_H
#define HIPCACHE_SRC_STORE_VERSIONS_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

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
