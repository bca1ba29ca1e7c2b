#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "store/database.h"
#include "store/framing.h"
#include "store_fixture.h"

namespace hipcache::store {
namespace {

using ::testing::HasSubstr;

class OpenTest : public StoreTest {
 protected:
  std::vector<std::string> set_aside_names() {
    auto names = list_directory(version_path());
    EXPECT_TRUE(names);
    std::erase_if(*names, [](const std::string& name) { return !name.starts_with("db.damaged-"); });
    return *names;
  }
  void write_meta(std::string_view format) {
    close();
    auto attempt = open_database(true);
    ASSERT_TRUE(attempt.database) << attempt.problem;
    ASSERT_TRUE(attempt.database->write({{Table::meta, kFormatKey, format}}));
  }
};

TEST_F(OpenTest, CreatesADirectoryThatIsTheUsersAlone) {
  open();
  struct stat status = {};
  ASSERT_EQ(stat(options_.directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(OpenTest, RefusesASecondStoreInTheSameDirectoryAndNamesTheHolder) {
  open();
  const auto second = try_open();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr(version_path() + " is in use by process "));
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(getpid())));
  put_blob("the first still works");
}

TEST_F(OpenTest, RefusesADirectoryThatAnotherProcessHolds) {
  int held[2], finish[2];
  ASSERT_EQ(pipe(held), 0);
  ASSERT_EQ(pipe(finish), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char byte = 0;
    const auto directory = OwnDirectory::open_or_make(version_path());
    const auto lock = directory ? lock_directory(*directory) : directory.error();
    byte = lock ? 'y' : 'n';
    if (write(held[1], &byte, 1) != 1) _exit(1);
    ::close(finish[1]);
    if (read(finish[0], &byte, 1) < 0) _exit(1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(held[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const auto refused = try_open();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("in use by process " + std::to_string(child)));
  for (const int fd : {held[0], held[1], finish[0], finish[1]}) ::close(fd);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  open();
}

TEST_F(OpenTest, SaysWhichDirectoryCannotBeMade) {
  ASSERT_TRUE(replace_file(options_.directory, "a file"));
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr(options_.directory));
}

TEST_F(OpenTest, SetsADatabaseOfAnotherFormatAside) {
  open();
  put_blob("of the older format");
  write_meta("hipcache store 1");
  open();
  EXPECT_EQ(store_->usage().blobs, 0u);
  EXPECT_EQ(set_aside_names().size(), 1u);
  EXPECT_THAT(log_text(), HasSubstr("format is 'hipcache store 1', this program's is 'hipcache store 3'"));
  put_blob("in the new database");
}

TEST_F(OpenTest, KeepsOneDatabaseSetAsideAtMost) {
  for (int time = 0; time < 3; ++time) {
    open();
    put_blob("blob");
    write_meta("unknown");
  }
  open();
  EXPECT_EQ(set_aside_names().size(), 1u);
}

// A diagnosis may be wrong: what was set aside first holds what was stored, the others hold nothing.
TEST_F(OpenTest, KeepsTheDatabaseSetAsideUntilAnotherHasServed) {
  open();
  put_blob("worth keeping");
  write_meta("unknown");
  open();
  const auto first = set_aside_names();
  write_meta("unknown");
  open();
  EXPECT_EQ(set_aside_names(), first);
  put_action("wanted", "value");
  for (int time = 0; time < 100; ++time) EXPECT_EQ(action("wanted"), "value");
  while (time(nullptr) == std::stol(first.front().substr(first.front().find('-') + 1))) usleep(1000);
  write_meta("unknown");
  open();
  EXPECT_NE(set_aside_names(), first) << "it has served: now it is worth more than the first";
  EXPECT_EQ(set_aside_names().size(), 1u);
}

TEST_F(OpenTest, SetsADatabaseAsideWhoseDamageWasNotedEarlier) {
  open();
  put_blob("blob");
  close();
  note_damage(version_opened(), "000042.sst is not what it was");
  open();
  EXPECT_EQ(store_->usage().blobs, 0u);
  EXPECT_EQ(set_aside_names().size(), 1u);
  EXPECT_THAT(log_text(), HasSubstr("000042.sst is not what it was"));
  put_blob("blob");
  open();
  EXPECT_EQ(store_->usage().blobs, 1u) << "the note is acted on once";
}

TEST_F(OpenTest, LeavesADatabaseAloneThatWasNotClosed) {
  open();
  const Digest digest = put_blob("written just before the crash");
  // A copy of the files as a crash would leave them: no close, nothing flushed.
  const std::string crashed = join_path(root_, "crashed");
  ASSERT_EQ(system(("cp -r " + options_.directory + " " + crashed).c_str()), 0);
  close();
  options_.directory = crashed;
  open();
  EXPECT_EQ(blob(digest), "written just before the crash");
  EXPECT_EQ(log_text(), "");
}

TEST_F(OpenTest, RefusesADirectoryThatOthersMayWriteToAndOneOfSomebodyElse) {
  open();
  close();
  for (const std::string& path : {options_.directory, version_path(), database_path()}) {
    ASSERT_EQ(chmod(path.c_str(), 0777), 0);
    const auto opened = try_open();
    ASSERT_FALSE(opened) << path;
    EXPECT_THAT(opened.error().message, HasSubstr("chmod o-w " + path));
    ASSERT_EQ(chmod(path.c_str(), 0700), 0);
    if (geteuid() != 0) continue;
    ASSERT_EQ(chown(path.c_str(), 12345, 0), 0);
    EXPECT_FALSE(try_open()) << path;
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(set_aside_names().size(), 0u);
}

TEST_F(OpenTest, FollowsNoLinkInItsDirectory) {
  const std::string victim = join_path(root_, "victim");
  ASSERT_TRUE(replace_file(victim, "precious"));
  ASSERT_TRUE(make_directories(version_path(), 0700));
  ASSERT_EQ(symlink(victim.c_str(), join_path(version_path(), "lock").c_str()), 0);
  EXPECT_FALSE(try_open());
  EXPECT_EQ(*read_file(victim, kKiB), "precious");
}

}  // namespace
}  // namespace hipcache::store
