// Lists of path sets with many writers: threads, and processes that read each other's store.
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <thread>
#include <vector>

#include "hipcache/store/local_store.h"
#include "path_sets_of_writers.h"
#include "store_fixture.h"

namespace hipcache::store {
namespace {

class PathSetsTest : public StoreTest {
 protected:
  std::vector<PathSetReference> list(ReadableStore& store, int key) {
    const auto found = store.path_sets(list_key(key));
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<PathSetReference>();
  }
  void add(int key, int number) { ASSERT_TRUE(store_->add_path_set(list_key(key), path_set(number))); }

  static pid_t start_writer(const std::string& directory, const std::string& other, int first) {
    const std::string number = std::to_string(first);
    const pid_t child = fork();
    if (child != 0) return child;
    execl(PATH_SET_WRITER, PATH_SET_WRITER, directory.c_str(), other.c_str(), number.c_str(), nullptr);
    _exit(3);
  }
  static int exit_code(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(PathSetsTest, OfAnUnknownKeyAreNone) {
  open();
  EXPECT_TRUE(list(*store_, 1).empty());
}

TEST_F(PathSetsTest, AreListedNewestFirstAlsoAfterTheStoreWasClosedAndOpened) {
  open();
  for (const int number : {1, 2, 3, 1}) add(7, number);
  open();
  EXPECT_EQ(list(*store_, 7), (std::vector<PathSetReference>{path_set(1), path_set(3), path_set(2)}));
}

TEST_F(PathSetsTest, AreDisplacedByKMaxPathSetsNewerOnesAndNoSooner) {
  open();
  for (int number = 0; number < static_cast<int>(kMaxPathSets); ++number) add(7, number);
  EXPECT_TRUE(has(list(*store_, 7), path_set(0)));
  add(7, static_cast<int>(kMaxPathSets));
  EXPECT_FALSE(has(list(*store_, 7), path_set(0)));
}

TEST_F(PathSetsTest, BeginANewListInPlaceOfOneThatCannotBeDecoded) {
  open();
  ASSERT_TRUE(store_->put_action(list_key(7), "no list"));
  EXPECT_FALSE(store_->path_sets(list_key(7)));
  add(7, 1);
  EXPECT_EQ(list(*store_, 7), (std::vector<PathSetReference>{path_set(1)}));
}

TEST_F(PathSetsTest, OfManyThreadsAreAllKept) {
  open();
  std::barrier start(static_cast<std::ptrdiff_t>(kMaxPathSets));
  std::vector<std::thread> threads;
  for (int number = 0; number < static_cast<int>(kMaxPathSets); ++number)
    threads.emplace_back([&, number] {
      start.arrive_and_wait();  // at the same keys at the same time
      for (int key = 0; key < kKeys; ++key) EXPECT_TRUE(store_->add_path_set(list_key(key), path_set(number)));
    });
  for (std::thread& thread : threads) thread.join();
  for (int key = 0; key < kKeys; ++key) EXPECT_EQ(list(*store_, key).size(), kMaxPathSets) << key;
}

TEST_F(PathSetsTest, OfTwoProcessesThatReadEachOthersStoreAreAllKept) {
  const std::vector<std::string> directories = {join_path(root_, "one"), join_path(root_, "two")};
  const pid_t one = start_writer(directories[0], directories[1], 0);
  const pid_t two = start_writer(directories[1], directories[0], kThreads);
  ASSERT_EQ(exit_code(one), 0);
  ASSERT_EQ(exit_code(two), 0);
  const auto opened = open_store({.directory = directories[0]}, *log_);
  ASSERT_TRUE(opened) << opened.error().message;
  LocalStore* const store = opened->get();
  store->read_too([&] { return std::vector<Layer>{{directories[1]}}; });
  const auto lower = store->lower();
  ASSERT_EQ(lower.size(), 1u);
  for (int key = 0; key < kKeys; ++key) {
    const std::vector<PathSetReference> ours = list(*store, key);
    const std::vector<PathSetReference> theirs = list(*lower[0], key);
    for (int number = 0; number < kProcesses * kThreads; ++number)
      EXPECT_TRUE(has(number < kThreads ? ours : theirs, path_set(number))) << key << " " << number;
  }
}

}  // namespace
}  // namespace hipcache::store
