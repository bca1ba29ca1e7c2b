// Adds path sets to the lists of many keys, in threads, as compiles at once would: each thread has a path set of its
// own, and puts a path set into our own store that only the other store lists.
//
// usage: store_path_set_writer DIRECTORY OTHER FIRST   (FIRST: number of the first thread's path set)
// exit code: 0 nothing was lost, 1 a path set was lost or a store failed, 2 the test itself is wrong
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "hipcache/store/local_store.h"
#include "path_sets_of_writers.h"

namespace hipcache::store {
namespace {

void write_lists(LocalStore& store, int number, std::atomic<int>& wrong) {
  for (int key = 0; key < kKeys; ++key) {
    if (!store.add_path_set(list_key(key), path_set(number))) ++wrong;
    for (const auto& below : store.lower()) {
      const auto theirs = below->path_sets(list_key(key));
      if (!theirs) ++wrong;
      if (theirs && !theirs->empty() && !store.add_path_set(list_key(key), theirs->front())) ++wrong;
    }
    const auto now = store.path_sets(list_key(key));
    if (!now || !has(*now, path_set(number))) ++wrong;
  }
}

int run(const std::string& directory, const std::string& other, int first) {
  Log log("stderr");
  const auto opened = open_store({.directory = directory}, log);
  if (!opened) return 1;
  LocalStore* const store = opened->get();
  store->read_too([&] { return std::vector<Layer>{{other}}; });
  std::atomic<int> wrong = 0;
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int number = first; number < first + kThreads; ++number)
    threads.emplace_back([&, number] {
      start.arrive_and_wait();  // at the same keys at the same time
      write_lists(*store, number, wrong);
    });
  for (std::thread& thread : threads) thread.join();
  if (wrong != 0) std::fprintf(stderr, "%d path sets lost or calls failed\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hipcache::store

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return hipcache::store::run(argv[1], argv[2], std::atoi(argv[3]));
}
