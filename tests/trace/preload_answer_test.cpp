// Prepared answers to what a program starts: clang's driver, which starts the linker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "trace/traced.h"

namespace hipcache::trace {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

constexpr const char* kImage = "image-0a1b2c.img";
constexpr const char* kInput = "part-d3e4f5.o";
constexpr const char* kMade = "not what a linker makes";
constexpr const char* kSaid = "what a linker said\n";

// The words of the last line of -###.
Words last_job(const std::string& printed) {
  Words words;
  const std::string line = printed.substr(printed.rfind("\n ", printed.size() - 2) + 1);
  for (std::size_t at = line.find('"'); at != std::string::npos; at = line.find('"', at)) {
    const std::size_t end = line.find('"', at + 1);
    words.push_back(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return words;
}

std::string text(const std::string& words) { return words + std::string(1, '\0'); }

class Answer : public testing::Test {
 protected:
  Traced traced;
  Words linker;

  static Words clang(const Words& more) {
    Words argv{"/usr/lib/llvm-19/bin/clang", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx906"};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }
  static Words link() { return clang({kInput, "-o", kImage}); }

  void SetUp() override {
    traced.scratch.write("a.c", "int f(int x) { return x + 1; }\n");
    ASSERT_EQ(traced.run_untraced(clang({"-O1", "-nogpulib", "-c", "a.c", "-o", kInput})).exit_code, 0)
        << traced.output;
    Words asking = link();
    asking.emplace_back("-###");
    ASSERT_EQ(traced.run_untraced(asking).exit_code, 0) << traced.output;
    linker = last_job(traced.output);
    ASSERT_THAT(linker, Contains(kInput));
    traced.scratch.write("prepared.o", support::read_bytes(traced.scratch / kInput));
    traced.scratch.write("prepared.img", kMade);
    traced.scratch.write("said", kSaid);
  }

  // One that fits, unless the words are not the linker's own.
  std::string answer(const Words& words) const {
    std::string bytes = text(words[0]);
    for (const std::string& word : words) {
      if (word == kInput) {
        bytes += text("<part-") + text(".o") + text(traced.scratch / "prepared.o");
      } else if (word == kImage) {
        bytes += text(">image-") + text(".img") + text(traced.scratch / "prepared.img");
      } else {
        bytes += text("=" + word);
      }
    }
    return bytes + text(".") + text(traced.scratch / "said");
  }

  void run_with(const std::string& answers) {
    traced.scratch.write("answers", answers);
    std::filesystem::remove(traced.scratch / kImage);
    ASSERT_EQ(traced.run(link()).exit_code, 0) << traced.output;
  }

  bool linker_ran() const { return traced.texts(Kind::execute).size() == 1; }

  void expect_answered(const std::string& answers) {
    run_with(answers);
    EXPECT_FALSE(linker_ran()) << traced.dump();
    EXPECT_EQ(support::read_bytes(traced.scratch / kImage), kMade);
    EXPECT_EQ(traced.output, kSaid);
    EXPECT_THAT(traced.texts(Kind::answer), testing::ElementsAre(traced.scratch / "prepared.img"));
    EXPECT_EQ(traced.trace.programs.size(), 1U);
    EXPECT_EQ(traced.trace.ends, 1U);
  }

  void expect_linked(const std::string& answers) {
    run_with(answers);
    EXPECT_TRUE(linker_ran()) << traced.dump();
    EXPECT_THAT(support::read_bytes(traced.scratch / kImage), HasSubstr("ELF"));
    EXPECT_THAT(traced.output, IsEmpty());
    EXPECT_THAT(traced.texts(Kind::answer), IsEmpty());
    EXPECT_EQ(traced.trace.programs.size(), 2U);
  }

  Words replaced(const std::string& word, const std::string& by) const {
    Words words = linker;
    for (std::string& each : words)
      if (each == word) each = by;
    return words;
  }
};

TEST_F(Answer, IsGivenInThePlaceOfAProgramThatIsStartedWithTheSameArgumentsOnTheSameBytes) {
  expect_answered(answer(linker));
}

TEST_F(Answer, IsFoundBehindOthers) {
  Words other = linker;
  other.emplace_back("--other");
  expect_answered(answer(other) + answer(replaced("-shared", "--other")) + answer(linker) + answer(other));
}

TEST_F(Answer, IsNotGivenWhereThereIsNone) {
  run_with("");
  EXPECT_TRUE(linker_ran());
  std::filesystem::remove(traced.scratch / "answers");
  ASSERT_EQ(traced.run(link()).exit_code, 0);
  EXPECT_TRUE(linker_ran());
}

TEST_F(Answer, IsNotGivenForOtherBytes) {
  for (const std::string& end : {std::string(""), std::string(1, '\0')}) {
    std::string bytes = support::read_bytes(traced.scratch / kInput) + end;
    if (end.empty()) bytes.back() = static_cast<char>(bytes.back() ^ 1);
    traced.scratch.write("prepared.o", bytes);
    expect_linked(answer(linker));
  }
  traced.scratch.write("prepared.o", "");
  expect_linked(answer(linker));
}

TEST_F(Answer, IsNotGivenForOtherArguments) {
  Words more = linker;
  more.emplace_back("--no-undefined");
  Words fewer = linker;
  fewer.pop_back();
  Words other_program = linker;
  other_program[0] = "/usr/bin/ld.lld";
  for (const Words& words :
       {more, fewer, other_program, replaced("-shared", "-Shared"), replaced(kInput, "part-d3e4f6.o")})
    expect_linked(answer(words));
}

TEST_F(Answer, IsNotGivenForNamesOfAnotherForm) {
  std::string answers = answer(linker);
  const std::string form = text("<part-") + text(".o");
  const std::size_t at = answers.find(form);
  for (const std::string& other :
       {text("<part-d") + text(".o"), text("<part-") + text("5.o"), text("<part") + text(".o"), text("<") + text(".o"),
        text("<part-d3e4f5") + text(".o")})
    expect_linked(std::string(answers).replace(at, form.size(), other));
}

TEST_F(Answer, IsNotGivenWhereSomethingOfItIsMissing) {
  for (const char* name : {"prepared.o", "prepared.img", "said"}) {
    const std::string bytes = support::read_bytes(traced.scratch / name);
    std::filesystem::remove(traced.scratch / name);
    expect_linked(answer(linker));
    traced.scratch.write(name, bytes);
  }
  expect_answered(answer(linker));
}

// The linker would otherwise be started on half an answer, or not be started at all.
TEST_F(Answer, IsNotGivenWhereTheFileIsCutOff) {
  const std::string answers = answer(linker);
  for (std::size_t length = 1; length < answers.size(); length += answers.size() / 25)
    expect_linked(answers.substr(0, length));
  expect_linked(answers.substr(0, answers.size() - 1));
  expect_linked(std::string(1, '\0'));
  expect_linked(std::string(100, '\0'));
}

TEST_F(Answer, IsNotGivenToAProgramThatIsNotTraced) {
  traced.scratch.write("answers", answer(linker));
  ASSERT_EQ(traced.run_untraced(link()).exit_code, 0);
  EXPECT_THAT(support::read_bytes(traced.scratch / kImage), HasSubstr("ELF"));
}

// What would have been started is written down, with the bytes of what a compiler would have read.
class Capture : public Answer {
 protected:
  std::string captured() const { return support::read_bytes(traced.scratch / "captured"); }
};

TEST_F(Capture, TakesThePlaceOfWhatIsStarted) {
  traced.scratch.write("captured", "");
  ASSERT_EQ(traced.run(link()).exit_code, 0) << traced.output;
  EXPECT_FALSE(linker_ran());
  EXPECT_FALSE(support::exists(traced.scratch / kImage));
  EXPECT_THAT(traced.output, IsEmpty());
  std::string expected = text(linker[0]);
  for (const std::string& word : linker) expected += text("=" + word);
  EXPECT_EQ(captured(), expected + text("."));
}

// clang starts no clang, so a link by another name stands for it.
TEST_F(Capture, HasTheBytesOfACompilersInputsInTheDirectory) {
  const std::string compiler = traced.scratch.link("tools/clang-linker", "/usr/lib/llvm-19/bin/lld");
  traced.scratch.write("captured", "");
  traced.scratch.write("empty-000000.o", "");
  const std::string input = traced.scratch / kInput;
  const std::string image = traced.scratch / kImage;
  const std::string bytes = support::read_bytes(input);
  ASSERT_EQ(
      traced.run(clang({"-fuse-ld=" + compiler, input, traced.scratch / "empty-000000.o", "-o", image})).exit_code, 0)
      << traced.output;
  const std::string mark =
      "\x01"
      "dir"
      "\x01/";
  EXPECT_THAT(captured(), testing::StartsWith(text(compiler)));
  EXPECT_THAT(captured(), HasSubstr(text("<" + mark + kInput) + text(std::to_string(bytes.size())) + bytes));
  EXPECT_THAT(captured(), HasSubstr(text("=" + mark + "empty-000000.o")));
  EXPECT_THAT(captured(), HasSubstr(text("=-o") + text("=" + mark + kImage)));
  EXPECT_THAT(captured(), testing::EndsWith(text(".")));
}

TEST_F(Capture, IsNotMadeWhereItsFileIsNotThere) { expect_linked(""); }

}  // namespace
}  // namespace hipcache::trace
