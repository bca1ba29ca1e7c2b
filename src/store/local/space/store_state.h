// What the parts of an open store share.
#ifndef HIPCACHE_SRC_STORE_LOCAL_SPACE_STORE_STATE_H
#define HIPCACHE_SRC_STORE_LOCAL_SPACE_STORE_STATE_H

#include <memory>
#include <shared_mutex>
#include <utility>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "store/local/database/database.h"
#include "store/local/space/recency.h"

namespace hipcache::store {

struct Directories {
  std::shared_ptr<const OwnDirectory> root;  // holds the stores of all versions
  std::shared_ptr<const OwnDirectory> ours;  // holds this version's store
};

struct StoreState {
  StoreState(Directories where, Log& to, std::unique_ptr<Database> opened, Clock clock)
      : directories(std::move(where)), log(to), database(std::move(opened)), recency(std::move(clock)) {}

  Directories directories;
  Log& log;
  std::unique_ptr<Database> database;
  Recency recency;
  std::shared_ptr<Pins> pins = std::make_shared<Pins>();

  // Keeps `recency` and the database consistent. Shared: adding (first the database, then recency). Exclusive:
  // removing, and writing uses behind. Reading needs no lock: an entry that recency has and the database lacks is a
  // miss.
  std::shared_mutex gate;
};

// Writes the uses since the last call to the database. If the write fails they are lost, which is harmless: uses are
// hints.
Status write_uses_behind(StoreState& state);

}  // namespace hipcache::store

#endif
