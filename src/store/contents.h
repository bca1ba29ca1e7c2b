// What the parts of an open store share.
#ifndef HIPCACHE_STORE_CONTENTS_H
#define HIPCACHE_STORE_CONTENTS_H

#include <memory>
#include <shared_mutex>
#include <utility>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "store/database.h"
#include "store/holds.h"
#include "store/recency.h"

namespace hipcache::store {

struct Directories {
  std::shared_ptr<const OwnDirectory> root;  // of the stores of all versions
  std::shared_ptr<const OwnDirectory> ours;  // of this version's
};

struct Contents {
  Contents(Directories where, Log& to, std::unique_ptr<Database> opened, Clock clock)
      : directories(std::move(where)), log(to), database(std::move(opened)), recency(std::move(clock)) {}

  Directories directories;
  Log& log;
  std::unique_ptr<Database> database;
  Recency recency;
  std::shared_ptr<Holds> holds = std::make_shared<Holds>();

  // Keeps `recency` and the database in step. Shared: adding (database first, recency then). Exclusive: removing, and
  // writing uses behind. Reading needs neither: what recency names and the database no longer has is a miss.
  std::shared_mutex gate;
};

// Writes the uses collected since the last time to the database. Those of a write that fails are forgotten: they are
// hints.
Status write_uses_behind(Contents& contents);

}  // namespace hipcache::store

#endif
