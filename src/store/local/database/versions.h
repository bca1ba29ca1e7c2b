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
#include <string>

#include "hipcache/base/own_directory.h"

namespace hipcache::store {

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
