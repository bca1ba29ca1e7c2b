// Actions on top of values: checked frames, and lists of path sets that are merged.
//
// A list is read, changed and written back under the mutex of its key. That is enough, because the database has one
// owner: two processes never write to one list. Rejected: RocksDB's merge operator. A list is framed with a digest and
// has a use record with its length, and both must be known at the write. Rejected: one entry for each writer; a look-up
// would scan for them.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_STORE_LOCAL_ACTIONS_H
#define HIPCACHE_SRC_STORE_LOCAL_ACTIONS_H

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"
#include "store/local/value_table.h"

namespace hipcache::store {

class Actions {
 public:
  Actions(StoreState& state, ValueTable& values) : state_(state), values_(values) {}

  Result<std::optional<std::string>> get(const Digest& key);
  Status put(const Digest& key, std::string_view value);
  // As LocalStore::put_action_if.
  Result<bool> put_if(const Digest& key, std::string_view value, const MayReplace& may);

  Result<std::vector<PathSetReference>> path_sets(const Digest& key);
  Status add_path_set(const Digest& key, const PathSetReference& set);

 private:
  static constexpr std::size_t kListMutexes = 64;

  StoreState& state_;
  ValueTable& values_;
  std::atomic<std::uint64_t> found_ = 0;
  std::array<std::mutex, kListMutexes> list_mutexes_;
};

}  // namespace hipcache::store

#endif
