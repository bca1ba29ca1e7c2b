// Several stores as one: our own, which is read and written, and other owners' stores, which are
// only read. So users, containers and prepared caches share results although a database has one
// owner.
//
// A blob that is found in another store is copied into our own before hold_blobs() promises it: its
// owner may evict it at any time. Actions and lists of path sets are not merged here: the caller
// reads those of lower() after its own, knows which of them was of use, and puts that one. So no
// list has two processes as its writers.
// Rejected: one database for all (RocksDB has one owner). Reading the layers in place (a lease
// would have to reach into another process). A server for all users (it would have to outlive
// containers, and everyone would have to trust it).
//
// A layer that is damaged, vanishes or cannot be opened is a miss and one line in the log. Layers
// are looked for only after our own store has missed, and at most ten times a second. Without any
// layer that costs one look at the clock.
// Memory: some MB for each layer, plus what its owner has not flushed yet.
#ifndef HIPCACHE_STORE_LAYERS_H
#define HIPCACHE_STORE_LAYERS_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/store/local_store.h"

namespace hipcache::store {

inline constexpr std::size_t kMostLayers = 16;

struct Layer {
  std::string directory;
  // Whether another process may be writing to it. Then opening it fails now and then, and the log
  // does not warn.
  bool is_in_use = true;
};

// The stores to read now; the first kMostLayers count. Return only stores whose owner is trusted,
// because their contents are served. Called by one thread at a time.
using FindLayers = std::function<std::vector<Layer>()>;

std::unique_ptr<LocalStore> make_layered_store(std::unique_ptr<LocalStore> own, FindLayers find, Log& log);

}  // namespace hipcache::store

#endif
