// Lists of ties, and what they are judged by. Whole explanations: tests/integration/explain_ties_test.cpp.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/services_in_memory.h"
#include "daemon/tell/place_owner.h"
#include "daemon/tell/ties.h"
#include "hipcache/inputs/file_system_state.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using inputs::PathSet;
using inputs::Question;
using protocol::Tie;
using protocol::TiedBy;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(PlaceOwner, IsToldByTheName) {
  for (const char* installed : {"/", "/usr", "/usr/include/x.h", "/opt/rocm/bin/clang", "/lib64", "/etc/clang/x.cfg",
                                "/home/../usr/include", "//usr//lib"})
    EXPECT_EQ(owner_of(installed), PlaceOwner::packages) << installed;
  for (const char* own : {"/proc/version", "/etc/passwd", "/sys/devices", "/run/user/1", "/etc/ld.so.preload"})
    EXPECT_EQ(owner_of(own), PlaceOwner::machine) << own;
  for (const char* made : {"/home/x/a.h", "/usrlocal", "/tmp", "/root", "/srv/etc/passwd", "/usr/../srv"})
    EXPECT_EQ(owner_of(made), PlaceOwner::user) << made;
}

TEST(PlaceOwner, KnowsTheDirectoriesThatOnlyCompilersFill) {
  for (const char* theirs :
       {"/usr/lib/gcc/x86_64-linux-gnu", "/usr/lib/llvm-19/lib", "/usr/include/c++/12", "/opt/rocm-6.2/lib",
        "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/gconv/gconv-modules.d"})
    EXPECT_TRUE(is_of_compilers(theirs)) << theirs;
  for (const char* shared : {"/usr/include", "/opt", "/usr/lib", "/usr/lib/llvm-19/../../include"})
    EXPECT_FALSE(is_of_compilers(shared)) << shared;
}

TEST(PlaceOwner, ADirectoryIsNamedByWholeNamesOnly) {
  for (const char* text : {"/b", "-I/b/x", "/a:/b:/c", "-DX=\"/b\""})
    EXPECT_TRUE(mentions_directory(text, "/b")) << text;
  for (const char* text : {"/bc", "/b.d", "b", "/a/c"}) EXPECT_FALSE(mentions_directory(text, "/b")) << text;
  EXPECT_FALSE(mentions_directory("/usr", "/")) << "everything lies there";
  EXPECT_FALSE(mentions_directory("/usr", ""));
}

TEST(TieList, SaysEachOnceByKindAndCountsFurtherOnesOnce) {
  TieList list;
  list.add(TiedBy::listing, "/opt");
  list.add(TiedBy::absolute_path, "/p/a.h");
  list.add(TiedBy::absolute_path, "/p/b.h");
  list.add(TiedBy::absolute_path, "/p/c\x1b.h");
  list.add(TiedBy::absolute_path, "/p/b.h");
  list.add(TiedBy::variable, "HOME");
  list.add(TiedBy::variable, "USER");
  list.add(TiedBy::listing, "/opt");
  EXPECT_THAT(list.take_ties(),
              ElementsAre(Tie{TiedBy::variable, "HOME", "", 0}, Tie{TiedBy::variable, "USER", "", 0},
                          Tie{TiedBy::listing, "/opt", "", 0}, Tie{TiedBy::absolute_path, "/p/a.h", "", 2}));
  EXPECT_THAT(list.take_ties(), IsEmpty());
}

TEST(TieList, CanKeepThoseToTheMachineAlone) {
  TieList list;
  list.add(TiedBy::cuid, "/p/a.hip");
  list.add(TiedBy::listing, "/opt");
  list.keep_ties_to_machine();
  EXPECT_THAT(list.take_ties(), ElementsAre(Tie{TiedBy::listing, "/opt", "", 0}));
}

// Questions that the compilers of the integration tests do not ask.
TEST(Ties, AreOfQuestionsThatNoOtherMachineAnswersAlike) {
  const support::Scratch scratch;
  ServicesInMemory<> made{{.log = scratch / "log"}};
  const std::unique_ptr<store::Lease> lease = made.services.store.lease();
  protocol::Channel channel{UniqueFd()};
  Request request;
  request.invocation.argv = {"tool"};
  request.from.working_directory = scratch.path();
  const RequestContext context = context_of(channel, request, made.services, *lease, nullptr);
  const auto kinds = [&](const std::vector<inputs::Observation>& asked) {
    const PathSet set(asked);
    std::vector<std::string> names;
    for (const Tie& tie : ties_of(StepSpec{}, &set, {}, context)) names.push_back(protocol::name_of(tie.by));
    return names;
  };
  EXPECT_THAT(kinds({{Question::machine, "uname"}}), ElementsAre("uname"));
  EXPECT_THAT(kinds({{Question::content, "/etc/ld.so.cache"}}), ElementsAre("loader_cache"));
  EXPECT_THAT(kinds({{Question::content, "/etc/passwd"}}), ElementsAre("machine_file"));
  EXPECT_THAT(kinds({{Question::environment, ""}, {Question::variable, "PATH"}}), ElementsAre("environment"));
  EXPECT_THAT(kinds({{Question::content, "/etc/no-such-file"}, {Question::presence, "/no/such/place"}}), IsEmpty());
  EXPECT_TRUE(ties_of(StepSpec{}, nullptr, {}, context).empty());
}

class EqualFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes, std::time_t seconds) {
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, scratch_.write(name, bytes).c_str(), times, 0), 0);
  }
  std::vector<std::pair<std::string, std::string>> pairs(const std::vector<std::string>& names) {
    inputs::RunContext from;
    from.working_directory = scratch_.path();
    std::vector<inputs::Observation> asked;
    for (const std::string& name : names) asked.push_back({Question::content, name});
    const PathSet set(asked);
    inputs::FileSystemState state;
    inputs::Answered answered;
    state.state(set, from, nullptr, &answered);
    return files_taken_for_one(set, answered, from, state);
  }

  support::Scratch scratch_;
};

TEST_F(EqualFiles, AreThoseOfOneTimeAndHardLinks) {
  write("a.h", "A", 100);
  write("same-time.h", "A", 100);
  write("other-time.h", "A", 200);
  ASSERT_EQ(link((scratch_ / "other-time.h").c_str(), (scratch_ / "z-hard.h").c_str()), 0);
  write("other-content.h", "B", 100);
  EXPECT_THAT(pairs({"a.h", "same-time.h", "other-time.h", "z-hard.h", "other-content.h"}),
              testing::UnorderedElementsAre(Pair(scratch_ / "a.h", scratch_ / "same-time.h"),
                                            Pair(scratch_ / "other-time.h", scratch_ / "z-hard.h")));
}

TEST_F(EqualFiles, AreNoOtherNamesOfOnePlace) {
  write("a.h", "A", 100);
  scratch_.make_directory("sub");
  ASSERT_EQ(symlink("a.h", (scratch_ / "b.h").c_str()), 0);
  EXPECT_THAT(pairs({"a.h", "./a.h", "sub/../a.h", "b.h"}), IsEmpty());
}

}  // namespace
}  // namespace hipcache::daemon
