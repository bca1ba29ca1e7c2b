// What a path set's weaker questions overlook (State::overlooked): it changes with the bytes and macros that they do
// not see, and with nothing else.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "inputs/state_fixture.h"

namespace hipcache::inputs {
namespace {

class Overlooked : public StateFixture {
 protected:
  State now(const PathSet& set, const std::vector<std::string>& macros = {}) {
    RunContext from = here();
    from.leaves_out_macros = true;
    for (const std::string& name : macros) from.macros.push_back({name, "-D" + name});
    return file_system_.full_state(set, from);
  }

  void rewrite(const std::string& name, const std::string& bytes) {
    write(name, bytes);
    let_stamps_settle();
  }
};

TEST_F(Overlooked, IsNothingIfTheSetAsksForAllThereIs) {
  rewrite("a.h", "int a;  // one\n");
  const PathSet strict({{Question::content, at("a.h")},
                        {Question::presence, at("a.h")},
                        {Question::all_macros, ""},
                        {Question::macro, "X"}});
  EXPECT_EQ(now(strict, {"X"}).overlooked, std::nullopt);
}

TEST_F(Overlooked, ChangesWithBytesThatNoTokenShows) {
  for (const Question question : {Question::tokens_in_place, Question::tokens_in_order, Question::tokens}) {
    const PathSet set({{Question::content, at("b.h")}, {question, at("a.h")}});
    rewrite("a.h", "int a;  // one\n");
    rewrite("b.h", "int b;\n");
    const State before = now(set);
    ASSERT_TRUE(before.overlooked);
    rewrite("a.h", "int a;  // two\n");
    EXPECT_EQ(now(set).digest, before.digest);
    EXPECT_NE(now(set).overlooked, before.overlooked);
    EXPECT_EQ(now(set).overlooked, now(set).overlooked);
    rewrite("a.h", "int a;  // one\n");
    EXPECT_EQ(now(set).overlooked, before.overlooked) << "the same bytes again";
    rewrite("b.h", "int b;  // more\n");
    EXPECT_EQ(now(set).overlooked, before.overlooked) << "the state shows them";
    EXPECT_NE(now(set).digest, before.digest);
  }
}

TEST_F(Overlooked, TellsWhichFileHasTheBytes) {
  const PathSet set({{Question::tokens, at("a.h")}, {Question::tokens, at("b.h")}});
  rewrite("a.h", "int a;  // one\n");
  rewrite("b.h", "int a;  // two\n");
  const State before = now(set);
  rewrite("a.h", "int a;  // two\n");
  rewrite("b.h", "int a;  // one\n");
  EXPECT_EQ(now(set).digest, before.digest);
  EXPECT_NE(now(set).overlooked, before.overlooked);
}

TEST_F(Overlooked, ChangesWithMacrosThatDoNotCount) {
  rewrite("a.h", "int a = X;\n");
  const PathSet set({{Question::content, at("a.h")}, {Question::macro, "X"}, {Question::further_macros, "X Y"}});
  const State before = now(set, {"X", "Y"});
  ASSERT_TRUE(before.overlooked);
  EXPECT_EQ(now(set, {"X", "Y"}).overlooked, before.overlooked);
  for (const std::vector<std::string>& others : {std::vector<std::string>{"X"}, {"X", "Z"}, {"Y", "X"}}) {
    EXPECT_EQ(now(set, others).digest, before.digest);
    EXPECT_NE(now(set, others).overlooked, before.overlooked);
  }
  EXPECT_NE(now(set).overlooked, std::nullopt) << "the command of the run may have had some";
}

TEST_F(Overlooked, IsThatOfEachSetWhereSeveralAreAsked) {
  rewrite("a.h", "int a;  // one\n");
  rewrite("b.h", "int b;  // one\n");
  const PathSet first({{Question::tokens, at("a.h")}}), second({{Question::tokens, at("b.h")}});
  const std::vector<State> states = file_system_.states({&first, &second}, here(), nullptr);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].overlooked, now(first).overlooked);
  EXPECT_EQ(states[1].overlooked, now(second).overlooked);
  EXPECT_NE(states[0].overlooked, states[1].overlooked);
}

}  // namespace
}  // namespace hipcache::inputs
