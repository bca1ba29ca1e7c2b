// Archives: both input and output, with or without times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

struct Tools {
  std::string ar, ranlib;
};
void PrintTo(const Tools& tools, std::ostream* out) { *out << tools.ar; }

class Archive : public testing::TestWithParam<Tools> {
 protected:
  Archive() {
    for (const char* name : {"a", "b"}) write_member(name, 1);
  }

  void write_member(const std::string& name, int value) const {
    project_.write(name + ".c", "int " + name + "(void) { return " + std::to_string(value) + "; }\n");
    EXPECT_EQ(run({"gcc", "-c", name + ".c", "-o", name + ".o"}, project_.path()).exit_code, 0);
  }

  Arguments ar(const std::string& rest) const { return words(GetParam().ar + " " + rest); }
  Arguments ranlib(const std::string& rest) const { return words(GetParam().ranlib + " " + rest); }
  void remove() const { fs::remove(project_ / "lib.a"); }

  void expect_run(const Arguments& argv) {
    const Counts counted = oracle_.check(argv);
    EXPECT_EQ(oracle_.exit_code(), 0);
    EXPECT_EQ(counted.misses, 1) << counted.json.dump();
    EXPECT_EQ(counted.run.at("archive"), 1);
    EXPECT_THAT(counted.not_stored, testing::Each(testing::Pair(testing::_, 0))) << counted.json.dump();
  }

  void expect_hit(const Arguments& argv) {
    const Counts counted = oracle_.check(argv);
    EXPECT_EQ(counted.hits, 1) << counted.json.dump();
    EXPECT_EQ(counted.hit.at("archive"), 1);
    EXPECT_EQ(counted.run.at("archive"), 0);
  }

  void expect_passed(const std::string& reason, const Arguments& argv) {
    const Counts counted = oracle_.check(argv);
    EXPECT_EQ(counted.passed, 1) << counted.json.dump();
    EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
  }

  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_.path()};
};

TEST_P(Archive, IsMadeOnceAndItsIndexWrittenOnce) {
  expect_run(ar("qc lib.a a.o b.o"));
  expect_run(ranlib("lib.a"));
  remove();
  expect_hit(ar("qc lib.a a.o b.o"));
  expect_hit(ranlib("lib.a"));
}

TEST_P(Archive, AMemberThatChangesIsSeenAndATouchedOneIsNot) {
  expect_run(ar("qc lib.a a.o b.o"));
  remove();
  write_member("a", 1);
  expect_hit(ar("qc lib.a a.o b.o"));
  remove();
  write_member("a", 2);
  expect_run(ar("qc lib.a a.o b.o"));
}

TEST_P(Archive, WhatWasInItIsAnInput) {
  expect_run(ar("qc lib.a a.o"));
  const std::string with_a = support::read_bytes(project_ / "lib.a");
  expect_run(ar("r lib.a b.o"));
  const std::string with_both = support::read_bytes(project_ / "lib.a");
  expect_run(ar("r lib.a b.o"));
  project_.write("lib.a", with_a);
  expect_hit(ar("r lib.a b.o"));
  EXPECT_TRUE(support::read_bytes(project_ / "lib.a") == with_both);
  remove();
  expect_run(ar("qc lib.a b.o"));
  expect_run(ar("r lib.a b.o"));
}

TEST_P(Archive, AppendingTwiceIsNotAppendingOnce) {
  expect_run(ar("qc lib.a a.o"));
  expect_run(ar("qc lib.a a.o"));
  remove();
  expect_hit(ar("qc lib.a a.o"));
  expect_hit(ar("qc lib.a a.o"));
}

TEST_P(Archive, KeepsTheModeThatItHas) {
  expect_run(ar("qc lib.a a.o"));
  fs::permissions(project_ / "lib.a", fs::perms::owner_read | fs::perms::owner_write);
  const Counts first = oracle_.check(ar("r lib.a b.o"));
  EXPECT_EQ(first.run.at("archive"), 1);
  remove();
  expect_hit(ar("qc lib.a a.o"));
  EXPECT_EQ(oracle_.check(ar("r lib.a b.o")).run.at("archive"), 1) << "of another mode than before";
}

TEST_P(Archive, AThinOneNamesItsMembers) {
  const std::string thin = GetParam().ar.starts_with("llvm") ? "qc --thin" : "qcT";
  if (thin != "qcT") return expect_passed("archive-operation", ar(thin + " lib.a a.o"));
  expect_run(ar(thin + " lib.a a.o b.o"));
  remove();
  expect_hit(ar(thin + " lib.a a.o b.o"));
}

TEST_P(Archive, WithTimesOrOwnersInItIsTheArchiversAlone) {
  for (const Arguments& argv : {ar("qcU lib.a a.o"), ar("ruc lib.a a.o"), ranlib("-U lib.a")})
    EXPECT_EQ(cache_.run(argv, project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.counts().reasons.at("archive-times"), 3);
  EXPECT_EQ(cache_.counts().misses, 0);
}

// GNU ar keeps the times of members that are there; LLVM's writes all members anew.
TEST_P(Archive, WithATimeFromBeforeIsNotStored) {
  EXPECT_EQ(run(ar("qcU lib.a a.o"), project_.path()).exit_code, 0);
  const Counts counted = oracle_.check(ar("q lib.a b.o"));
  const bool keeps_times = !GetParam().ar.starts_with("llvm");
  EXPECT_EQ(counted.not_stored.contains("archive-times") ? counted.not_stored.at("archive-times") : 0, keeps_times);
  EXPECT_EQ(counted.run.at("archive"), 1);
}

TEST_P(Archive, OtherOperationsAreTheArchiversAlone) {
  expect_run(ar("qc lib.a a.o b.o"));
  for (const char* rest : {"t lib.a", "p lib.a a.o", "x lib.a", "d lib.a a.o", "rb a.o lib.a b.o", "-M"}) {
    SCOPED_TRACE(rest);
    expect_passed("archive-operation", ar(rest));
  }
  expect_passed("driver-information", ar("--version"));
}

TEST_P(Archive, AMissingMemberFailsAndStoresNothing) {
  for (int time = 0; time < 2; ++time) {
    const Counts counted = oracle_.check(ar("qc lib.a missing.o"));
    EXPECT_NE(oracle_.exit_code(), 0);
    EXPECT_EQ(counted.hits, 0);
    remove();
  }
}

TEST_P(Archive, BehindALinkIsTheArchiversToFollow) {
  project_.link("lib.a", "real.a");
  expect_passed("output-not-a-regular-file", ar("qc lib.a a.o"));
}

INSTANTIATE_TEST_SUITE_P(Archivers, Archive,
                         testing::Values(Tools{"ar", "ranlib"}, Tools{"gcc-ar", "gcc-ranlib"},
                                         Tools{"llvm-ar-15", "llvm-ranlib-15"}, Tools{"llvm-ar-19", "llvm-ranlib-19"}),
                         [](const auto& tools) {
                           std::string name = tools.param.ar;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace hipcache::integration
