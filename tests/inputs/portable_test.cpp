// Path sets that are good in every checkout, and what ties one to the checkout it was made in.
#include "hipcache/inputs/mentions.h"
#include "inputs/trace_fixture.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;

class Portable : public TraceFixture {
 protected:
  Portable() {
    for (const char* checkout : {"one", "other"}) {
      write(std::string(checkout) + "/a.h", "int a;");
      directory(std::string(checkout) + "/build");
    }
    run_.directory = directory("elsewhere");
    run_.programs.commands = trace_.programs = {write("bin/gcc", "elf")};
    begin_run();
  }

  RunContext in(const std::string& checkout) const {
    RunContext from{at(checkout + "/build"), environment_};
    from.roots = Roots(at(checkout));
    return from;
  }

  // What a run in the first checkout was found to depend on.
  Witnessed run() {
    std::sort(trace_.records.begin(), trace_.records.end());
    auto result = witness(trace_, run_, in("one"), file_system_);
    EXPECT_TRUE(std::holds_alternative<Witnessed>(result));
    return std::get<Witnessed>(result);
  }

  bool holds_in_other(const Witnessed& witnessed) {
    let_stamps_settle();
    EXPECT_EQ(file_system_.state(*witnessed.set, in("one")), witnessed.state);
    return file_system_.state(*witnessed.set, in("other")) == witnessed.state;
  }
};

TEST_F(Portable, WhatLiesInOneCheckoutIsAskedInTheOther) {
  saw(Kind::open_read, at("one/a.h"));
  saw(Kind::look, at("one/b.h"), false);
  saw(Kind::list, at("one"));
  const Witnessed witnessed = run();
  EXPECT_TRUE(holds_in_other(witnessed));
  write("other/b.h", "");
  EXPECT_FALSE(holds_in_other(witnessed));
}

TEST_F(Portable, AnotherContentInTheOtherCheckoutIsSeen) {
  saw(Kind::open_read, at("one/a.h"));
  write("other/a.h", "int b;");
  EXPECT_FALSE(holds_in_other(run()));
}

TEST_F(Portable, LinksAndRealPathsAreComparedByTheirPlaceInTheCheckout) {
  for (const char* checkout : {"one", "other"})
    link(std::string(checkout) + "/l.h", at(std::string(checkout) + "/a.h"));
  begin_run();
  saw(Kind::open_read, at("one/l.h"));
  saw(Kind::real_path, at("one/l.h"));
  const Witnessed witnessed = run();
  EXPECT_TRUE(holds_in_other(witnessed));
  retarget("other/l.h", at("one/a.h"));
  EXPECT_FALSE(holds_in_other(witnessed));
}

TEST_F(Portable, TheWorkingDirectoryIsComparedByItsPlaceInTheCheckout) {
  saw(Kind::variable, "PWD");
  EXPECT_TRUE(holds_in_other(run()));
}

TEST_F(Portable, WhatShowsTheCheckoutIsTiedToIt) {
  run_.shows.roots.shown = 1;
  saw(Kind::open_read, at("one/a.h"));
  EXPECT_FALSE(holds_in_other(run()));
}

TEST_F(Portable, ASourceThatAsksForItsOwnNameTiesTheResultUnlessNamesAreMapped) {
  for (const char* checkout : {"one", "other"})
    write(std::string(checkout) + "/own.h", "constexpr int length = sizeof(__FILE__);");
  begin_run();
  saw(Kind::open_read, at("one/own.h"));
  EXPECT_FALSE(holds_in_other(run()));
  run_.shows.roots.own_names_mapped = 1;
  EXPECT_TRUE(holds_in_other(run()));
}

// The word and the lambda may stand in different files. A map does not help: clang 15 does not use it there.
TEST_F(Portable, CodeInTheCheckoutIsTiedWhereAFileOfItMayPrintTypes) {
  run_.shows.roots.own_names_mapped = 1;
  for (const char* checkout : {"one", "other"}) {
    write(std::string(checkout) + "/lambda.h", "inline constexpr auto lambda = [](int x) { return x; };");
    write(std::string(checkout) + "/type.h", "template <class T> const char* name() { return __PRETTY_FUNCTION__; }");
  }
  begin_run();
  saw(Kind::open_read, at("one/lambda.h"));
  EXPECT_TRUE(holds_in_other(run()));
  saw(Kind::open_read, at("one/type.h"));
  EXPECT_FALSE(holds_in_other(run()));
}

TEST_F(Portable, AFileWithARelativeNameThatPrintsTypesDoesNotTieFilesWithRelativeNames) {
  for (const char* checkout : {"one", "other"})
    write(std::string(checkout) + "/own.h", "constexpr auto name = sizeof(__PRETTY_FUNCTION__);");
  begin_run();
  saw(Kind::open_read, "../own.h");
  EXPECT_TRUE(holds_in_other(run()));
}

// gcc prints "<lambda(int)>".
TEST_F(Portable, TypesThatGccPrintsNameNoFile) {
  for (const char* checkout : {"one", "other"})
    write(std::string(checkout) + "/type.h",
          "template <class T> const char* name() { return __PRETTY_FUNCTION__; } auto f = [] {};");
  const std::string compiler = write("lib/gcc/cc1plus",
                                     "\x7f"
                                     "ELF");
  begin_run();
  saw(Kind::open_read, at("one/type.h"));
  saw(Kind::open_read, compiler);
  EXPECT_TRUE(holds_in_other(run()));
  saw(Kind::open_read, write("lib/libclang-cpp.so.19",
                             "\x7f"
                             "ELF"));
  EXPECT_FALSE(holds_in_other(run())) << "clang ran as well";
}

// "one.sources" beside the checkout "one" is the same directory for both checkouts.
TEST_F(Portable, ASourceThatNamesTheCheckoutTiesTheResultAndOneThatNamesADirectoryBesideItDoesNot) {
  const std::string beside = write("one.sources/x.h", "");
  for (const bool names_checkout : {false, true}) {
    const std::string named = names_checkout ? at("one/a.h") : beside;
    for (const char* checkout : {"one", "other"})
      write(std::string(checkout) + "/includes.h", "#include \"" + named + "\"");
    trace_.records.clear();
    begin_run();
    saw(Kind::open_read, at("one/includes.h"));
    saw(Kind::open_read, named);
    EXPECT_EQ(holds_in_other(run()), !names_checkout);
  }
}

TEST_F(Portable, ADirectoryBesideTheCheckoutIsAskedByItsName) {
  for (const char* checkout : {"one", "other"})
    write(std::string(checkout) + "/includes.h", "#include \"" + at("one.sources/x.h") + "\"");
  write("one.sources/x.h", "int x;");
  begin_run();
  saw(Kind::open_read, at("one/includes.h"));
  saw(Kind::open_read, at("one.sources/x.h"));
  const Witnessed witnessed = run();
  EXPECT_TRUE(holds_in_other(witnessed));
  write("one.sources/x.h", "int y;");
  let_stamps_settle();
  EXPECT_NE(file_system_.state(*witnessed.set, in("other")), witnessed.state);
}

// It may cut "one" out of "one.sources".
TEST_F(Portable, WhatAScriptReadsTiesTheResultWhereverItMentionsTheCheckout) {
  trace_.programs.push_back(write("bin/sh", "elf"));
  trace_.ends = 2;
  run_.programs.others = Programs::Others::traced;
  for (const char* checkout : {"one", "other"}) write(std::string(checkout) + "/conf", at("one.sources"));
  begin_run();
  saw(Kind::open_read, at("one/conf"));
  EXPECT_FALSE(holds_in_other(run()));
}

// A compiler's own libraries hold these words.
TEST_F(Portable, AProgramOrLibraryHasNoNameOfItsOwn) {
  for (const char* checkout : {"one", "other"})
    write(std::string(checkout) + "/libA.so", std::string("\x7f") + "ELF __FILE__");
  begin_run();
  saw(Kind::library, at("one/libA.so"));
  EXPECT_TRUE(holds_in_other(run()));
}

TEST_F(Portable, ASourceWithARelativeNameHasNoOtherNameElsewhere) {
  for (const char* checkout : {"one", "other"})
    write(std::string(checkout) + "/own.h", "constexpr int length = sizeof(__FILE__);");
  begin_run();
  saw(Kind::open_read, "../own.h");
  EXPECT_TRUE(holds_in_other(run()));
}

TEST_F(Portable, ASetThatNeedsABaseDirectoryHoldsNowhereElse) {
  saw(Kind::look, at("one/b.h"), false);
  const Witnessed witnessed = run();
  RunContext without = in("one");
  without.roots = Roots();
  EXPECT_NE(file_system_.state(*witnessed.set, without), witnessed.state);
}

TEST_F(Portable, WhatShowsTheIdOfTheTranslationUnitIsTiedToIt) {
  RunContext mine = in("one");
  mine.cuid = "0123456789abcdef";
  RunContext others = mine;
  others.cuid = "fedcba9876543210";
  const PathSet tied({{Question::cuid, ""}});
  EXPECT_NE(file_system_.state(tied, mine), file_system_.state(tied, others));
  EXPECT_EQ(file_system_.state(tied, mine), file_system_.state(tied, mine));
}

TEST_F(Portable, ANameThatHoldsWhatIsReservedIsRefused) {
  saw(Kind::open_read, Roots("/one").portable_path("/one/a.h"));
  EXPECT_EQ(refusal(), "trace");
}

}  // namespace
}  // namespace hipcache::inputs
