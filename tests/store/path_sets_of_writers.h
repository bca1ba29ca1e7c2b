// The keys and path sets of the tests with many writers: all path sets together just fit into a list, so that none may
// be missing from it.
#ifndef HIPCACHE_TESTS_STORE_PATH_SETS_OF_WRITERS_H
#define HIPCACHE_TESTS_STORE_PATH_SETS_OF_WRITERS_H

#include <algorithm>
#include <string>
#include <vector>

#include "hipcache/store/store.h"

namespace hipcache::store {

inline constexpr int kKeys = 2000;
inline constexpr int kProcesses = 2;
inline constexpr int kThreads = static_cast<int>(kMaxPathSets) / kProcesses;

inline Digest list_key(int number) { return digest_of("key " + std::to_string(number)); }

inline PathSetReference path_set(int number) {
  return {digest_of("set " + std::to_string(number)), digest_of("blob " + std::to_string(number))};
}

inline bool has(const std::vector<PathSetReference>& list, const PathSetReference& set) {
  return std::find(list.begin(), list.end(), set) != list.end();
}

}  // namespace hipcache::store

#endif
