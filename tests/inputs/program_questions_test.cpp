#include "inputs/observe/programs.h"

#include <memory>

#include "inputs/state/path_table.h"
#include "inputs/state/stat_snapshot.h"
#include "inputs/trace_fixture.h"

namespace hipcache::inputs {
namespace {

using trace::Kind;

class ProgramQuestions : public TraceFixture {
 protected:
  ProgramQuestions() { let_path_be(directory("early") + ":" + directory("late")); }

  void let_path_be(const std::string& value) { environment_ = {"PATH=" + value}; }

  std::string program(const std::string& name) {
    const std::string path = write(name, "elf");
    EXPECT_EQ(chmod(path.c_str(), 0755), 0);
    return path;
  }

  std::string found() {
    const RunContext here = from();
    const std::shared_ptr<const PathOrder> order = PathTable(100).order(PathSet({{Question::program, "lld"}}), here);
    Effort effort;
    Mounts mounts(kernels_mount_ids());
    StatSnapshot snapshot(*order, file_clock()(), mounts, effort, nullptr);
    return snapshot.program_at(order->slot_of.front());
  }
};

TEST_F(ProgramQuestions, AsksForTheNamesThatWereLookedForInTheFirstDirectory) {
  saw(Kind::variable, "PATH");
  saw(Kind::look, at("early/lld"), false);
  saw(Kind::look, at("late//lld"));
  saw(Kind::look, at("late/other"), false);
  program("late/lld");
  EXPECT_TRUE(asks(Question::program, "lld"));
  EXPECT_FALSE(asks(Question::program, "other"));
}

TEST_F(ProgramQuestions, IsNoQuestionOfAProcessThatDoesNotAskForPath) {
  saw(Kind::look, at("early/lld"), false);
  EXPECT_FALSE(asks(Question::program, "lld"));
}

TEST_F(ProgramQuestions, MakesTheVariableAQuestionIfItNamesNoDirectory) {
  saw(Kind::variable, "PATH", false);
  for (const char* empty : {"", ":", "::"}) {
    let_path_be(empty);
    EXPECT_TRUE(asks(Question::variable, "PATH")) << empty;
  }
}

TEST_F(ProgramQuestions, LeadsToTheFirstProgramOfThatName) {
  EXPECT_EQ(found(), "");
  const std::string late = program("late/lld");
  EXPECT_EQ(found(), late);
  write("early/lld", "not executable");
  EXPECT_EQ(found(), late);
  const std::string early = program("early/lld");
  EXPECT_EQ(found(), early);
  let_path_be(at("late") + ":" + at("early"));
  EXPECT_EQ(found(), late);
}

TEST_F(ProgramQuestions, SkipsEmptyEntriesAndCountsRelativeOnesFromTheWorkingDirectory) {
  program("work/lld");
  let_path_be(":" + at("early") + "::");
  EXPECT_EQ(found(), "");
  let_path_be(":.");
  EXPECT_EQ(found(), work_ + "/./lld");
}

TEST_F(ProgramQuestions, ChangesTheStateWhenItLeadsElsewhereAndNotWhenItDoesNot) {
  const PathSet set({{Question::program, "lld"}});
  program("late/lld");
  const Digest before = file_system_.state(set, from());
  let_path_be(directory("unrelated") + ":" + at("late"));
  EXPECT_EQ(file_system_.state(set, from()), before);
  let_path_be(at("early") + ":" + at("late"));
  program("early/lld");
  EXPECT_NE(file_system_.state(set, from()), before);
}

}  // namespace
}  // namespace hipcache::inputs
