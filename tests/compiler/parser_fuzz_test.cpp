// Random commands, response files and frontend arguments, made of the words of real ones: nothing crashes, and whatever
// is accepted is what an Invocation promises. Fixed seeds: a failure comes back.
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <variant>

#include "compiler/command_line/arguments.h"
#include "compiler/words.h"
#include "hipcache/compiler/cc1.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"
#include "support/scratch.h"

namespace hipcache::compiler {
namespace {

using testing::words;

const char* const kWords[] = {"-c",
                              "-o",
                              "a.o",
                              "a.hip",
                              "-x",
                              "hip",
                              "none",
                              "--",
                              "-",
                              "",
                              "@",
                              "@x",
                              "-MD",
                              "-MF",
                              "a.d",
                              "-MT",
                              "-Wp,-MD,x",
                              "-Wp,",
                              "-Wp,-MMD",
                              "--offload-arch=gfx906",
                              "--offload-arch=",
                              "--no-offload-arch=all",
                              "--offload-arch=,,:",
                              "-Xclang",
                              "-load",
                              "-Xarch_",
                              "-Xarch_device",
                              "-Xarch_gfx906",
                              "-mllvm",
                              "-stats",
                              "-O2",
                              "-g",
                              "-cuid=",
                              "-cuid=1",
                              "-fuse-cuid=hash",
                              "-D",
                              "-DX=1",
                              "-I",
                              "-include",
                              "-fcolor-diagnostics",
                              "-fdiagnostics-color=auto",
                              "-march=native",
                              "-march=",
                              "-fvisibility",
                              "-target-cpu",
                              "-emit-obj",
                              "-dependency-file",
                              "-internal-isystem",
                              "-Xopenmp-target=",
                              "-sectcreate",
                              "-segprot",
                              "-fplugin-arg-",
                              "-ccc-",
                              "-Wa,",
                              "-Wl,",
                              "-fsanitize=",
                              "-mrecip=",
                              "\x01\xff",
                              "-\xff",
                              "--config",
                              "--rsp-quoting=windows",
                              "-working-directory=",
                              "-Xanalyzer",
                              "-W",
                              "-f",
                              "-m",
                              "-d",
                              "-M",
                              "/x",
                              "-y"};

// A word of the list, or one with a byte changed, removed or added.
std::string random_word(std::mt19937& random) {
  std::string word = kWords[random() % std::size(kWords)];
  switch (random() % 8) {
    case 0:
      if (!word.empty()) word[random() % word.size()] = static_cast<char>(1 + random() % 255);
      break;
    case 1:
      if (!word.empty()) word.erase(random() % word.size(), 1);
      break;
    case 2:
      word.insert(random() % (word.size() + 1), 1, static_cast<char>(1 + random() % 255));
      break;
    default:
      break;
  }
  return word;
}

std::vector<std::string> random_words(std::mt19937& random) {
  std::vector<std::string> result(random() % 12);
  for (std::string& word : result) word = random_word(random);
  return result;
}

TEST(ParserFuzz, AcceptsOnlyCompilesWithSourceAndObject) {
  const Parser parser;
  std::mt19937 random(20240501);
  int accepted = 0;
  for (int round = 0; round < 12000; ++round) {
    std::vector<std::string> argv = random_words(random);
    argv.insert(argv.begin(), "clang++");
    if (random() % 2 == 0) argv.insert(argv.end(), {"-c", "a.hip"});
    const auto parsed = parser.parse(argv, "/nonexistent");
    if (const auto* refusal = std::get_if<Uncacheable>(&parsed)) {
      EXPECT_NE(refusal->reason, Reason::none);
      continue;
    }
    ++accepted;
    const auto& invocation = std::get<Invocation>(parsed);
    EXPECT_EQ(invocation.argv, argv);
    EXPECT_FALSE(invocation.source.empty());
    EXPECT_NE(invocation.source, "-");
    EXPECT_FALSE(invocation.object.empty());
    EXPECT_FALSE(invocation.object.starts_with("/dev/"));
    EXPECT_LE(invocation.without_archs.size(), invocation.expanded.size());
  }
  EXPECT_GT(accepted, 200);  // else the words no longer reach the far side of the parser
}

TEST(ParserFuzz, ReadsAnyResponseFile) {
  const support::Scratch scratch;
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (unsigned left = random() % 200; left > 0; --left) text += "@x 'y\"\\\n\t-\0\xff"[random() % 13];
    scratch.write("x", text);
    const auto expanded = expand_response_files({"clang++", "@x", "end"}, scratch.path());
    if (expanded) {
      EXPECT_EQ(expanded->arguments.back(), "end");
    }
  }
}

TEST(ParserFuzz, FindsFrontendArgumentsWhereTheyAre) {
  std::mt19937 random(11);
  int accepted = 0;
  for (int round = 0; round < 12000; ++round) {
    const std::vector<std::string> arguments = random_words(random);
    const auto read = read_cc1(arguments);
    if (!read) continue;
    ++accepted;
    for (const Cc1Argument& argument : *read) {
      ASSERT_LE(argument.first + argument.count, arguments.size());
      if (argument.count == 2 && argument.role != Cc1Role::plain) {
        EXPECT_EQ(argument.value, arguments[argument.first + 1]);
      }
    }
  }
  EXPECT_GT(accepted, 200);
}

}  // namespace
}  // namespace hipcache::compiler
