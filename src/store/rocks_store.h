// The Store over a Database: what is asked, put and dropped. Eviction, recency and opening are files of their own.
#ifndef HIPCACHE_STORE_ROCKS_STORE_H
#define HIPCACHE_STORE_ROCKS_STORE_H

#include <cstdint>
#include <memory>

#include "hipcache/base/files.h"
#include "hipcache/store/store.h"
#include "store/contents.h"

namespace hipcache::store {

// Takes the lock of the directory along: it is held as long as the store lives.
std::unique_ptr<Store> make_rocks_store(std::unique_ptr<Contents> contents, UniqueFd lock, std::uint64_t max_bytes);

}  // namespace hipcache::store

#endif
