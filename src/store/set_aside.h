// The files of a store's directory, and what becomes of a database that cannot be used: it is renamed, not deleted, so
// that it can be looked at; one such is kept, until its space is wanted.
//
//   lock                 held (flock) by the process that has the store open
//   db/                  the database
//   db.damaged-<time>/   the last database set aside, seconds since the epoch
//   damaged              one line: why the database is to be set aside at the next open
#ifndef HIPCACHE_STORE_SET_ASIDE_H
#define HIPCACHE_STORE_SET_ASIDE_H

#include <optional>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

std::string database_path(const std::string& directory);

// Held until the descriptor closes. An error at once if another store, of this process or another, has it.
Result<UniqueFd> lock_directory(const std::string& directory);

// Renames the database and says so in the log; the one set aside before is removed.
Status set_aside(const std::string& directory, const std::string& reason, Log& log);
void remove_set_aside(const std::string& directory);

// For damage found while the database is open: noted now, acted on at the next open.
void note_damage(const std::string& directory, const std::string& reason);
std::optional<std::string> noted_damage(const std::string& directory);
void forget_damage(const std::string& directory);

}  // namespace hipcache::store

#endif
