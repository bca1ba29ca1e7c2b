// What the memory of plain compiles takes for equal, and what it runs the compiler for.
#include "integration/support/compiler_memory.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/scratch.h"

namespace hipcache::integration {
namespace {

constexpr const char* kSource = "int x;\n";

// A tree with one source, and its memory.
class Tree {
 public:
  explicit Tree(const std::string& store, const std::string& source = kSource) : memory_(tree_.path(), store) {
    tree_.write("a.c", source);
  }

  Ended compile(const std::string& flags = "") {
    before_ = files_in(tree_.path());
    return memory_.run({words("gcc -c a.c -o a.o " + flags), tree_.path()}, before_);
  }
  // What the last compile changed.
  Files left() const { return changes(before_, files_in(tree_.path())); }
  void remove_object() const { unlink((tree_ / "a.o").c_str()); }
  void protect_object() const { chmod((tree_ / "a.o").c_str(), 0600); }
  std::string object() const { return support::read_bytes(tree_ / "a.o"); }
  void write(const std::string& name, const std::string& text) const { tree_.write(name, text); }

  int runs() const { return memory_.runs(); }
  int spared() const { return memory_.spared(); }

 private:
  support::Scratch tree_;
  CompilerMemory memory_;
  Files before_;
};

class OracleMemory : public testing::Test {
 protected:
  OracleMemory() { setenv("ORACLE_MEMORY", "on", 1); }

  std::string store() const { return store_ / "oracle"; }
  // Two directories have the same result.
  void learn(const std::string& flags = "") const {
    for (int i = 0; i < 2; ++i) {
      Tree tree(store());
      tree.compile(flags);
      EXPECT_EQ(tree.runs(), 1);
    }
  }

  support::Scratch store_;
};

// With one seed in sixteen the compile is verified; some seed of a few spares it.
int spared_for_some_seed(const std::string& store, const std::string& flags, const std::string& source = kSource) {
  int spared = 0;
  for (int seed = 0; seed < 8; ++seed) {
    setenv("ORACLE_SEED", std::to_string(seed).c_str(), 1);
    Tree tree(store, source);
    tree.compile(flags);
    spared += tree.spared();
  }
  return spared;
}

TEST_F(OracleMemory, TheThirdDirectoryIsSparedWhatTwoAgreedOn) {
  learn();
  EXPECT_GT(spared_for_some_seed(store(), ""), 0);
}

TEST_F(OracleMemory, LeavesWhatTheCompilerLeaves) {
  Tree plain(store_ / "another");
  const Ended ended = plain.compile("-Wall");
  learn("-Wall");
  for (int seed = 0; seed < 8; ++seed) {
    setenv("ORACLE_SEED", std::to_string(seed).c_str(), 1);
    Tree tree(store());
    EXPECT_EQ(tree.compile("-Wall").exit_code, ended.exit_code);
    EXPECT_EQ(tree.left(), plain.left());
  }
}

TEST_F(OracleMemory, RemembersMessagesAndExitCodeOfAFailure) {
  const std::string wrong = "int x = y;\n";
  for (int i = 0; i < 8; ++i) {
    setenv("ORACLE_SEED", std::to_string(i).c_str(), 1);
    Tree tree(store(), wrong);
    const Ended ended = tree.compile();
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find("undeclared"), std::string::npos) << ended.err;
    EXPECT_TRUE(tree.left().empty());
  }
  EXPECT_GT(spared_for_some_seed(store(), "", wrong), 0);
}

TEST_F(OracleMemory, SparesARepetitionInTheSameDirectory) {
  int spared = 0;
  for (int seed = 0; seed < 8; ++seed) {
    setenv("ORACLE_SEED", std::to_string(seed).c_str(), 1);
    Tree tree(store_ / std::to_string(seed));
    tree.compile("-g");  // has the directory's name in the object
    tree.remove_object();
    tree.compile("-g");
    spared += tree.spared();
  }
  EXPECT_GT(spared, 0);
}

// How many compiles of a few trees are spared that follow an equal one and a change.
template <typename Change>
int spared_after(Change change, const std::string& store, const std::string& source = kSource,
                 const std::string& flags = "") {
  int spared = 0;
  for (int seed = 0; seed < 8; ++seed) {
    setenv("ORACLE_SEED", std::to_string(seed).c_str(), 1);
    Tree tree(store + std::to_string(seed), source);
    tree.compile(flags);
    const std::string object = tree.object();
    change(tree);
    const int before = tree.spared();
    if (tree.compile(flags).exit_code == 0) {
      EXPECT_EQ(tree.object(), object);
    }
    spared += tree.spared() - before;
  }
  return spared;
}

void write_other_object(const Tree& tree) { tree.write("a.o", "what was there"); }

TEST_F(OracleMemory, SparesARepetitionOverTheObject) {
  EXPECT_GT(spared_after([](const Tree&) {}, store()), 0);
  EXPECT_GT(spared_after(write_other_object, store() + "-other", kSource, "-MMD -MT a.o"), 0);
}

TEST_F(OracleMemory, SparesAnEarlierSourceOverTheObjectOfAnother) {
  const auto there_and_back = [](Tree& tree) {
    tree.write("a.c", "int other;\n");
    tree.compile();
    tree.write("a.c", kSource);
  };
  EXPECT_GT(spared_after(there_and_back, store()), 0);
}

TEST_F(OracleMemory, RunsTheCompilerOverAnObjectOfAnotherMode) {
  EXPECT_EQ(spared_after([](const Tree& tree) { tree.protect_object(); }, store()), 0);
}

TEST_F(OracleMemory, RunsTheCompilerOverAnObjectThatIsNamedAsAnInput) {
  EXPECT_EQ(spared_after(write_other_object, store(), "int x;  // a.o\n"), 0);
  EXPECT_EQ(spared_after(write_other_object, store(), kSource, "-DX=a.o"), 0);
}

TEST_F(OracleMemory, RunsAFailingCompilerOverAnObject) {
  const auto break_it = [](Tree& tree) {
    tree.write("a.c", "int x = y;\n");
    tree.remove_object();
    EXPECT_EQ(tree.compile().exit_code, 1);
    write_other_object(tree);
  };
  EXPECT_EQ(spared_after(break_it, store()), 0);
}

TEST_F(OracleMemory, RunsTheCompilerWhereTheResultDependsOnTheDirectory) {
  learn("-g");
  EXPECT_EQ(spared_for_some_seed(store(), "-g"), 0);
}

TEST_F(OracleMemory, RunsTheCompilerForAnotherSourceOptionOrVariable) {
  learn();
  EXPECT_LE(spared_for_some_seed(store(), "-O1"), 6) << "two directories have to run it";
  Tree source(store(), "int z;\n");
  source.compile();
  EXPECT_EQ(source.spared(), 0);
  setenv("LC_ALL", "C.UTF-8", 1);
  Tree variable(store());
  variable.compile();
  unsetenv("LC_ALL");
  EXPECT_EQ(variable.spared(), 0);
}

TEST_F(OracleMemory, RunsTheCompilerForASourceWithTheTime) {
  const std::string timed = "const char* when = __TIME__;\n";
  EXPECT_EQ(spared_for_some_seed(store(), "", timed), 0);
}

TEST_F(OracleMemory, RunsTheCompilerForFilesThatTheKeyDoesNotHave) {
  for (const std::string source : {"#include \"../x.h\"\nint x;\n", "/*\n#!/bin/sh\n*/ int x;\n"})
    EXPECT_EQ(spared_for_some_seed(store(), "", source), 0) << source;
}

TEST_F(OracleMemory, VerifiesEverythingIfAsked) {
  setenv("ORACLE_MEMORY", "verify", 1);
  learn();
  EXPECT_EQ(spared_for_some_seed(store(), ""), 0);
}

TEST_F(OracleMemory, AnotherResultThanTheRememberedOneFailsTheTest) {
  learn();
  for (const auto& entry : std::filesystem::directory_iterator(store())) {
    nlohmann::json said = nlohmann::json::from_cbor(support::read_bytes(entry.path()));
    said["err"] = "something else\n";
    const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(said);
    std::ofstream(entry.path(), std::ios::binary) << std::string(bytes.begin(), bytes.end());
  }
  testing::TestPartResultArray failures;
  for (int seed = 0; seed < 300 && failures.size() == 0; ++seed) {
    setenv("ORACLE_SEED", std::to_string(seed).c_str(), 1);
    Tree tree(store());
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    tree.compile();
  }
  EXPECT_EQ(failures.size(), 1);
}

// The last one: it stays in its namespace.
TEST_F(OracleMemory, RunsTheCompilerWhereTheTestHasMountsOfItsOwn) {
  learn();
  if (unshare(CLONE_NEWNS) != 0) GTEST_SKIP() << "no mount namespace of the test's own";
  EXPECT_EQ(spared_for_some_seed(store(), ""), 0);
}

}  // namespace
}  // namespace hipcache::integration
