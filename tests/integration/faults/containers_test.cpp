// Containers that share one cache directory through bind mounts. Each has its own daemon and store, and is served what
// the others have compiled.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/support/party.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

class Containers : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    first_ = make();
    second_ = make();
    if (!first_ || !second_) GTEST_SKIP() << "this user may not make mount namespaces";
    write_kernel(project_, "a.hip");
  }

  // Every container sees the same directory at the same mount point.
  std::unique_ptr<Container> make() const {
    return Container::make({{root_.make_directory("shared"), root_.make_directory("mounted"), false}}, variables());
  }

  Variables variables() const { return {{"HIPCACHE_DIR", root_ / "mounted"}, {"HIPCACHE_CONFIG", "/dev/null"}}; }

  Arguments command(const std::string& flags = "-O1") const {
    return GetParam().hip() + archs({"gfx906", "gfx1030"}) + words(flags) + words("-c a.hip -o a.o");
  }

  std::string compile(const Party& party, const std::string& flags = "-O1") {
    std::filesystem::remove(project_ / "a.o");
    const Ended ended = party.run(command(flags), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return support::read_bytes(project_ / "a.o");
  }

  static void expect_ran_nothing(const Counts& counted) {
    for (const auto& [step, number] : counted.run) EXPECT_EQ(number, 0) << step;
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
  }

  support::Scratch root_;
  support::Scratch project_;
  std::unique_ptr<Container> first_;
  std::unique_ptr<Container> second_;
};

TEST_P(Containers, ASecondOneIsServedWhatTheFirstHasCompiledAndRunsNothing) {
  const std::string object = compile(*first_);
  EXPECT_EQ(first_->counts().misses, 1);
  EXPECT_TRUE(compile(*second_) == object);
  const Counts counted = second_->counts();
  EXPECT_EQ(counted.hits, 1) << counted.json.dump();
  expect_ran_nothing(counted);
}

TEST_P(Containers, EachIsServedWhatTheOthersCompileWhileItsDaemonRuns) {
  compile(*first_, "-O0");
  compile(*second_, "-O1");
  first_->counts();
  second_->counts();
  const Counts before_first = first_->counts();
  const Counts before_second = second_->counts();
  compile(*first_, "-O1");
  compile(*second_, "-O0");
  const Counts first = first_->counts() - before_first;
  const Counts second = second_->counts() - before_second;
  EXPECT_EQ(first.hits, 1) << first.json.dump();
  EXPECT_EQ(second.hits, 1) << second.json.dump();
  expect_ran_nothing(first);
  expect_ran_nothing(second);
  EXPECT_EQ(first.json.at("store").at("layers"), 1);
}

TEST_P(Containers, StartedAtTheSameTimeAllAreCachedEachByAStoreOfItsOwn) {
  std::vector<std::unique_ptr<Container>> all;
  all.push_back(std::move(first_));
  all.push_back(std::move(second_));
  while (all.size() < 4) all.push_back(make());
  std::vector<support::Scratch> projects(all.size());
  std::vector<Started> compiles;
  for (std::size_t i = 0; i < all.size(); ++i) {
    write_kernel(projects[i], "a.hip");
    compiles.push_back(all[i]->start(command(), projects[i].path()));
  }
  for (Started& started : compiles) {
    const Ended ended = started.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Counts before = all[i]->counts();
    EXPECT_EQ(before.passed, 0) << before.json.dump();
    EXPECT_EQ(all[i]->run(command(), projects[i].path()).exit_code, 0);
    const Counts again = all[i]->counts() - before;
    EXPECT_EQ(again.hits, 1);
    expect_ran_nothing(again);
  }
  EXPECT_EQ(all[0]->counts().json.at("store").at("layers"), 3);
}

TEST_P(Containers, AChangedSourceIsAMissInAll) {
  compile(*first_);
  first_->counts();
  write_kernel(project_, "a.hip", "__global__ void more(int* x) { *x = 7; }\n");
  compile(*second_);
  const Counts counted = second_->counts();
  EXPECT_EQ(counted.hits, 0);
  EXPECT_EQ(counted.run.at("device"), 2);
}

TEST_P(Containers, WhatTheOwnerOfAStoreClearsMeanwhileIsCompiledAnewOrServedRight) {
  const std::string object = compile(*first_);
  first_->counts();
  const std::string other = compile(*first_, "-O2");
  first_->counts();
  EXPECT_TRUE(compile(*second_) == object);
  EXPECT_EQ(first_->run({"--clear"}, "/").exit_code, 0);
  EXPECT_TRUE(compile(*second_) == object) << "copied when it hit";
  EXPECT_TRUE(compile(*second_, "-O2") == other) << "gone, and compiled anew";
  EXPECT_EQ(second_->counts().passed, 0);
}

TEST_P(Containers, AStoreThatIsDeletedUnderItsReadersCostsMissesAtWorst) {
  const std::string object = compile(*first_);
  first_->counts();
  EXPECT_TRUE(compile(*second_) == object);
  const std::string other = compile(*first_, "-O2");
  first_->counts();
  first_.reset();
  std::filesystem::remove_all(root_ / "shared/store");
  EXPECT_TRUE(compile(*second_) == object);
  EXPECT_TRUE(compile(*second_, "-O2") == other);
  EXPECT_EQ(second_->counts().passed, 0);
}

TEST_P(Containers, AStoreThatSomebodyElsePlantedIsNotServed) {
  const std::string object = compile(*first_);
  first_->counts();
  first_.reset();
  const std::string planted = root_ / "shared/store";
  ASSERT_EQ(run({"chown", "-R", "61001:61001", planted}, "/").exit_code, 0);
  EXPECT_TRUE(compile(*second_) == object);
  const Counts counted = second_->counts();
  EXPECT_EQ(counted.hits, 0);
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_EQ(counted.json.at("store").at("layers"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Containers, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
