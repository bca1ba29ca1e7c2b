#include "hipcache/compiler/hip/bitcode_digest.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "support/scratch.h"

namespace hipcache::hip {
namespace {

// Bitcode of the source, compiled as it is named in that directory.
class BitcodeDigest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (std::system(("command -v clang-" + GetParam() + " >/dev/null").c_str()) != 0)
      GTEST_SKIP() << "clang-" << GetParam() << " is not installed: tools/setup does that";
  }

  std::string compiled(const std::string& directory, const std::string& source, const std::string& name = "a.cpp") {
    scratch_.write(directory + "/" + name, source);
    const std::string path = scratch_ / directory + "/" + name;
    const std::string command = "clang-" + GetParam() +
                                " -O1 -c -emit-llvm -Xclang -disable-llvm-passes -Xclang -emit-llvm-uselists " + path +
                                " -o " + path + ".bc";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return support::read_bytes(path + ".bc");
  }

  Digest digest(const std::string& directory, const std::string& source, const std::string& name = "a.cpp") {
    return bitcode_digest(compiled(directory, source, name), Roots(scratch_ / directory));
  }

  support::Scratch scratch_;
};

constexpr const char* kSource =
    "int g(const char*);\nint f() { return g(\"hello\"); }\nstatic int h(int x) { return x * 3; }\n"
    "int k(int x) { for (int i = 0; i < x; ++i) x += h(i); return x; }\n";

TEST_P(BitcodeDigest, IsTheSameInEveryCheckout) {
  EXPECT_EQ(digest("one", kSource), digest("a/directory/with/quite/another/name", kSource));
  EXPECT_NE(digest_of(compiled("one", kSource)), digest_of(compiled("two/two", kSource)));
}

TEST_P(BitcodeDigest, DiffersWithWhateverIsInTheModule) {
  const Digest plain = digest("one", kSource);
  const std::string source = kSource;
  const auto with = [](std::string text, const std::string& word, const std::string& other) {
    return text.replace(text.find(word), word.size(), other);
  };
  for (const std::string& other : {source + "int more() { return 1; }\n", source + "int global = 1;\n",
                                   source + "const char* file() { return __FILE__; }\n", with(source, "* 3", "* 4"),
                                   with(source, "hello", "jello"), with(source, "f()", "e()")})
    EXPECT_NE(digest("one", other), plain) << other;
  EXPECT_NE(digest("one", kSource, "b.cpp"), plain) << "a file symbol is made of it";
}

TEST_P(BitcodeDigest, DiffersWithWhatWasMadeOfTheNameOfTheCheckout) {
  const std::string source = kSource;
  for (const std::string& other :
       {source + "const char* file() { return __FILE__; }\n", source + "int length() { return sizeof(__FILE__); }\n",
        source + "template <int N> void t() {}\nvoid u() { t<sizeof(__FILE__)>(); }\n"})
    EXPECT_NE(digest("one", other), digest("a/directory/with/quite/another/name", other)) << other;
}

TEST_P(BitcodeDigest, LeavesOutWhereInlineAssemblyStands) {
  const std::string assembly =
      "int f(int x) { asm volatile(\"nop\\n\\tnop\"); return x + 1; }\nint g() { asm(\"nop\"); return 7; }\n";
  const Digest plain = digest("one", assembly);
  EXPECT_EQ(digest("one", "// a comment\n" + assembly), plain);
  EXPECT_EQ(digest("another/checkout", std::string(70'000, '\n') + assembly), plain);
  EXPECT_EQ(bitcode_digest(compiled("one", assembly), Roots()),
            bitcode_digest(compiled("one", "\n" + assembly), Roots()));
  const auto with = [](std::string text, const std::string& word, const std::string& other) {
    return text.replace(text.find(word), word.size(), other);
  };
  for (const std::string& other :
       {with(assembly, "nop", "pause"), with(assembly, "x + 1", "x + 2"), with(assembly, "return 7", "return 8"),
        assembly + "int h() { asm(\"nop\"); return 1; }\n"})
    EXPECT_NE(digest("one", other), plain) << other;
}

// A number that code uses as well keeps its value.
TEST_P(BitcodeDigest, KeepsANumberThatCodeUsesToo) {
  const auto source = [](const std::string& before, int number) {
    return before + "long f() { asm volatile(\"nop\"); return " + std::to_string(number) + "L; }\n";
  };
  // The place of the asm statement is one of these numbers.
  int equal = 0;
  for (int number = 0; number < 60; ++number) {
    const Digest one = digest("one", source("", 100 + number));
    EXPECT_NE(one, digest("one", source("", 200 + number)));
    if (one != digest("one", source("\n\n\n\n\n", 100 + number))) ++equal;
  }
  EXPECT_LE(equal, 2) << "of a place before and after the edit";
}

TEST_P(BitcodeDigest, OfDamagedBytesIsADigestAllTheSame) {
  const Roots base(scratch_ / "one");
  const std::string bitcode = compiled("one", kSource);
  const Digest whole = bitcode_digest(bitcode, base);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bitcode;
    damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
    bitcode_digest(damaged, base);
    bitcode_digest(std::string_view(bitcode).substr(0, random() % bitcode.size()), base);
  }
  EXPECT_EQ(bitcode_digest(bitcode, base), whole);
}

INSTANTIATE_TEST_SUITE_P(Compilers, BitcodeDigest, testing::Values("15", "19"),
                         [](const auto& one) { return "Clang" + one.param; });

}  // namespace
}  // namespace hipcache::hip
