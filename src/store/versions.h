// Where the store of this program's format lies, and the stores of other formats beside it.
//
//   <store>/v2/      this format
//   <store>/v<n>/    another one
//   <store>/db, ...  the oldest, which had no directory of its own
//
// Each format has a directory of its own, so that two versions of the program can be used in turns: neither opens, sets
// aside or deletes what the newer one stored. An older one's directory must not stay for ever: it goes when the user
// clears the cache, when space is wanted and it was not opened for a day, and when it was not opened for a week.
// Rejected: to convert an older store (a cache may forget); to keep the format in the database alone (another version
// had to set the database aside to be able to work).
#ifndef HIPCACHE_STORE_VERSIONS_H
#define HIPCACHE_STORE_VERSIONS_H

#include <chrono>
#include <string>

#include "hipcache/base/own_directory.h"

namespace hipcache::store {

inline constexpr unsigned kVersion = 2;
std::string version_directory();

// Removes the stores of older versions that nobody holds and that were not opened for `unused`; 0: all of them. Called
// with the lock of our own held.
void remove_older_versions(const OwnDirectory& root, std::chrono::seconds unused);

}  // namespace hipcache::store

#endif
