#include "hipcache/compiler/hip/bitcode_places.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "support/scratch.h"

namespace hipcache::hip {
namespace {

class BitcodePlaces : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (std::system(("command -v clang-" + GetParam() + " >/dev/null").c_str()) != 0)
      GTEST_SKIP() << "clang-" << GetParam() << " is not installed: tools/setup does that";
  }

  std::string bitcode(const std::string& source, const std::string& options = "-O1") {
    scratch_.write("a.cpp", source);
    const std::string command =
        "cd " + scratch_ / "" + " && clang-" + GetParam() + " -c -emit-llvm -w " + options + " a.cpp -o a.bc";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return support::read_bytes(scratch_ / "a.bc");
  }
  hip::BitcodePlaces places(const std::string& source, const std::string& options = "-O1") {
    return places_in_bitcode(bitcode(source, options));
  }

  support::Scratch scratch_;
};

struct Shown {
  const char* source;
  const char* options = "-O1";
};

TEST_P(BitcodePlaces, AreNoneInWhatWasJudged) {
  for (const Shown& plain : {
           Shown{"int g(const char*); int f() { return g(\"hello\"); }"},
           Shown{"static int h(int x) { return x * 3; }\n"
                 "int k(int x) { for (int i = 0; i < x; ++i) x += h(i); return x; }",
                 "-O0"},
           Shown{"#include <vector>\n#include <string>\n#include <cmath>\n"
                 "double f(std::vector<std::string>& v, double x) {\n"
                 "  for (auto& s : v) s += std::to_string(std::sin(x) + std::fma(x, x, 2));\n"
                 "  try { v.at(3); } catch (...) { throw 1; }\n  return v.size(); }",
                 "-O2"},
           Shown{"struct A { virtual ~A(); virtual int f(); }; struct B : A { int f() override; ~B(); };\n"
                 "int B::f() { return 3; } int t() { thread_local int x = 3; static B b; return x + b.f(); }",
                 "-O2 -flto"},
           Shown{"int f(int* p, int n) {\n#pragma clang loop unroll_count(4)\nfor (int i = 0; i < n; ++i) p[i] *= 2;\n"
                 "return __builtin_expect(n, 1) + __builtin_popcount(n); }",
                 "-O3 -march=haswell"},
           Shown{"int f(int n) { return n + 1; }", "-O2 -flto=thin -fno-exceptions -fstack-protector-strong"},
       }) {
    const hip::BitcodePlaces found = places(plain.source, plain.options);
    EXPECT_FALSE(found.has_others) << plain.source;
    EXPECT_TRUE(found.assembly.places.empty()) << plain.source;
  }
}

TEST_P(BitcodePlaces, AreInWhatNobodyJudged) {
  for (const Shown& shown : {
           Shown{"int g(int); int f(int a) { return __builtin_annotation(g(a), \"x\"); }", "-O0"},
           Shown{"__attribute__((annotate(\"x\"))) int f() { return 1; }"},
           Shown{"int f(int a) { __attribute__((annotate(\"x\"))) int b = a; return b; }", "-O0"},
           Shown{"struct S { __attribute__((annotate(\"x\"))) int b; }; int f(S* s) { return s->b; }", "-O0"},
           Shown{"__attribute__((annotate(\"x\"))) int a = 3;"},
           Shown{"int f() { return 1; }", "-O1 -g"},
           Shown{"int f() { return 1; }", "-O1 -gline-tables-only"},
           Shown{"int f() { return 1; }", "-O1 -fprofile-instr-generate -fcoverage-mapping"},
           Shown{"int f(int a) { return a + 1; }", "-O1 -fsanitize=undefined"},
           Shown{"int f() { return 1; }", "-O1 -fembed-bitcode"},
           Shown{"[[gnu::error(\"x\")]] void g(); int f(int a) { if (a) g(); return 1; }"},
           Shown{"[[gnu::warning(\"x\")]] void g(); int f(int a) { if (a) g(); return 1; }"},
       })
    EXPECT_TRUE(places(shown.source, shown.options).has_others) << shown.source << " " << shown.options;
  EXPECT_TRUE(places_in_bitcode("no bitcode").has_others);
  EXPECT_TRUE(places_in_bitcode("").has_others);
}

TEST_P(BitcodePlaces, AreThoseOfInlineAssembly) {
  const std::string source =
      "int f(int x) { asm volatile(\"nop # %0\\n\\tnop\" : \"+r\"(x)); return x; }\n"
      "int g() { asm(\"nop\"); return 7; }\n";
  const hip::BitcodePlaces found = places(source);
  EXPECT_FALSE(found.has_others);
  ASSERT_EQ(found.assembly.statements.size(), 2u);
  EXPECT_EQ(found.assembly.statements.begin()->text, "nop");
  EXPECT_EQ(found.assembly.statements.rbegin()->text, "nop # $0\n\tnop");
  EXPECT_TRUE(found.assembly.statements.rbegin()->constraints.starts_with("=r,0"));
  const std::uint64_t first = 2 + source.find('"');  // the source begins at 2
  const std::uint64_t second = 2 + source.rfind("\"nop\"");
  ASSERT_EQ(found.assembly.places.size(), 2u);
  EXPECT_EQ(found.assembly.places.begin()->front(), first);
  EXPECT_EQ(found.assembly.places.begin()->size(), 2u) << "two lines";
  EXPECT_EQ(found.assembly.places.rbegin()->front(), second);
  EXPECT_TRUE(found.assembly.is_outside_of_macros());
  EXPECT_FALSE(places("#define A(x) asm(x)\nvoid f() { A(\"nop\"); }").assembly.is_outside_of_macros());
  EXPECT_FALSE(places("#define T \"nop\"\nvoid f() { asm(T); }").assembly.is_outside_of_macros());
}

TEST_P(BitcodePlaces, AreWithinALibraryIfItHasEachTextAndPlace) {
  const auto of = [&](const std::string& source) { return places(source).assembly; };
  const InlineAssembly library = of("void f() { asm(\"nop\"); asm(\"pause\"); }");
  EXPECT_TRUE(of("void f() { asm(\"nop\"); }").is_within(library));
  EXPECT_TRUE(of("int f();").is_within(library));
  EXPECT_FALSE(of("void f() {  asm(\"nop\"); }").is_within(library)) << "place";
  EXPECT_FALSE(of("void f() { asm(\"wait\"); }").is_within(library)) << "text";
  EXPECT_FALSE(of("void f() { asm(\"nop\":::\"memory\"); }").is_within(library)) << "operands";
  InlineAssembly both = library;
  both.add(of("void f() {  asm(\"wait\"); }"));
  EXPECT_TRUE(library.is_within(both));
  EXPECT_FALSE(both.is_within(library));
}

TEST_P(BitcodePlaces, OfDamagedBytesEndNoProcess) {
  const std::string whole = bitcode("int f(int x) { asm volatile(\"nop\"); return x; }\n");
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = whole;
    damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
    places_in_bitcode(damaged);
    places_in_bitcode(std::string_view(whole).substr(0, random() % whole.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, BitcodePlaces, testing::Values("15", "19"),
                         [](const auto& one) { return "Clang" + one.param; });

}  // namespace
}  // namespace hipcache::hip
