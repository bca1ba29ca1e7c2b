// What the names of a compile lead to.
#include "inputs/tokens/reach.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "inputs/sources/source_use.h"
#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

struct Text {
  std::string text;
  bool is_installed = false;
};

// Makes everything anew.
std::shared_ptr<const Pasting> made_now(const Digest&, const MakePasting& make) { return make(); }

class ReachOf {
 public:
  explicit ReachOf(const std::vector<Text>& texts, const std::vector<std::string>& arguments = {"clang"},
                   const PastingOf& pasting_of = made_now)
      : texts_(texts), macros_(macros_of_command(arguments)) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Text& one = texts[i];
      sources_.push_back({.path = std::to_string(i),
                          .content = digest_of(one.text),
                          .names = std::make_shared<const SourceNames>(scan_source(one.text, Wanted::names).names),
                          .is_installed = one.is_installed});
    }
    reach_.emplace(
        sources_, ReadSource{.path = "", .content = digest_of(macros_.text), .names = macros_.names}, true,
        [this](const ReadSource& source, const NameSet& pasting) {
          const std::string& text = source.path.empty() ? macros_.text : texts_[std::stoul(source.path)].text;
          return std::make_shared<const PasteFacts>(paste_facts(text, pasting));
        },
        pasting_of);
  }
  // Of the first text.
  Leads leads() const { return reach_->of_live(sources_.front()); }
  bool may_occur(std::string_view name) const { return reach_->may_occur(name); }

 private:
  std::vector<Text> texts_;
  std::vector<ReadSource> sources_;
  CommandMacros macros_;
  std::optional<Reach> reach_;
};

Leads leads(const std::string& source, const std::string& header = "", const std::string& installed = "",
            const std::vector<std::string>& arguments = {"clang"}) {
  return ReachOf({{source}, {header}, {installed, true}}, arguments).leads();
}

constexpr const char* kCheck = "#define CHECK(x) check(x, __FILE__, __LINE__)\n";

TEST(Reach, LeadsThroughMacrosByTheirNames) {
  EXPECT_EQ(leads("int a = CHECK(1);", kCheck), kToPosition | kToFileName);
  EXPECT_EQ(leads("int a = f(1);", kCheck), 0);
  EXPECT_EQ(leads("int CHECKED, MY_CHECK;", kCheck), 0) << "other words";
  EXPECT_EQ(leads("#define MINE(x) CHECK(x)\n", kCheck), 0) << "a definition is no use";
  EXPECT_EQ(leads("int a = TWICE(1);", std::string("#define TWICE(x) ONCE(x)\n#define ONCE(x) CHECK(x)\n") + kCheck),
            kToPosition | kToFileName);
  EXPECT_EQ(leads("int a = DEBUG_CHECK(1);", kCheck, "#define DEBUG_CHECK(x) CHECK(x)\n"), kToPosition | kToFileName);
  EXPECT_EQ(leads("#if CHECK(1)\n#endif\n", kCheck), kToPosition | kToFileName);
}

// CHECK has two definitions, and `condition` decides for the first one.
Leads of_check(const std::string& condition, const std::string& between = "", const std::string& command = "-O1") {
  const std::string header = between + condition + kCheck + "#else\n#define CHECK(x)\n#endif\n";
  return leads("CHECK(1);", header, "", {"clang", command});
}

TEST(Reach, FollowsNoDefinitionThatIsLeftOut) {
  constexpr Leads kPlaces = kToPosition | kToFileName;
  EXPECT_EQ(of_check("#if 0\n"), 0);
  EXPECT_EQ(of_check("#if 1\n"), kPlaces);
  for (const char* condition : {"#ifdef MY_DEBUG\n", "#if defined MY_DEBUG\n", "# if defined( MY_DEBUG ) // words\n",
                                "#if defined(MY_DEBUG) && !defined(NDEBUG)\n", "#if A > 1 \n#elif defined(MY_DEBUG)\n",
                                "#ifndef MY_DEBUG\n#else\n#if A\n", "#ifdef DEBUG\n"}) {
    EXPECT_EQ(of_check(condition), 0) << condition;
    EXPECT_EQ(of_check(condition, "#define MY_DEBUG 1\n#define DEBUG\n"), kPlaces) << condition;
    EXPECT_EQ(of_check(condition, "#if 0\n#define MY_DEBUG 1\n#define DEBUG\n#endif\n"), kPlaces) << condition;
  }
  EXPECT_EQ(of_check("#ifdef MY_DEBUG\n", "", "-DMY_DEBUG"), kPlaces);
  EXPECT_EQ(of_check("#ifdef MY_DEBUG\n", "", "-DMY_DEBUGGER"), 0);
}

TEST(Reach, FollowsNoDefinitionThatTheCommandLeavesOut) {
  constexpr Leads kPlaces = kToPosition | kToFileName;
  for (const char* condition : {"#ifndef NDEBUG\n", "#if !defined(NDEBUG)\n", "#ifdef NDEBUG\n#else\n#if A\n"}) {
    EXPECT_EQ(of_check(condition, "", "-DNDEBUG"), 0) << condition;
    EXPECT_EQ(of_check(condition, "#define NDEBUG\n", "-DNDEBUG"), 0) << condition;
    EXPECT_EQ(of_check(condition), kPlaces) << condition;
    EXPECT_EQ(of_check(condition, "#define NDEBUG\n"), kPlaces) << condition << "not from the beginning, perhaps";
    EXPECT_EQ(of_check(condition, "#undef NDEBUG\n", "-DNDEBUG"), kPlaces) << condition;
  }
  EXPECT_EQ(
      leads("CHECK(1);", std::string("#ifndef NDEBUG\n") + kCheck + "#endif", "", {"clang", "-DNDEBUG", "-UNDEBUG"}),
      kPlaces);
}

TEST(Reach, FollowsDefinitionsWhoseConditionsMayHold) {
  constexpr Leads kPlaces = kToPosition | kToFileName;
  for (const char* condition :
       {"#ifdef __HIP__\n", "#ifdef linux\n", "#ifdef HIP_API_PER_THREAD_DEFAULT_STREAM\n", "#ifdef FP_FAST_FMA\n",
        "#if MY_DEBUG\n", "#if defined(MY_DEBUG) || A\n", "#if defined(MY_DEBUG) == 0\n", "#ifndef MY_DEBUG\n",
        "#if defined(MY_DEBUG) && A\n#else\n", "#if 0\n#else\n", "#ifdef MY_DEBUG\n#endif\n#if A\n",
        "#if !defined MY_DEBUG & 1\n", "#ifdef MY_DEBUG\n#elif A\n"})
    EXPECT_EQ(of_check(condition), kPlaces) << condition;
}

TEST(Reach, KnowsEachPlaceThatCompilersTell) {
  EXPECT_EQ(leads("int a = __LINE__;"), kToPosition);
  EXPECT_EQ(leads("int a = __builtin_LINE();"), kToPosition | kToCaller);
  EXPECT_EQ(leads("int a = __builtin_COLUMN();"), kToPosition | kToCaller);
  EXPECT_EQ(leads("auto a = std::source_location::current();"), kToPosition | kToCaller | kToFileName | kToTypes);
  EXPECT_EQ(leads("f(__FILE__);"), kToFileName);
  EXPECT_EQ(leads("f(__BASE_FILE__);"), kToFileName);
  EXPECT_EQ(leads("f(__builtin_FILE());"), kToCaller | kToFileName);
  EXPECT_EQ(leads("f(__PRETTY_FUNCTION__);"), kToTypes);
  EXPECT_EQ(leads("__builtin_dump_struct(&a, f);"), kToTypes);
  EXPECT_EQ(leads("f(__FILE_NAME__, __func__, __COUNTER__, __DATE__);"), 0);
  EXPECT_EQ(leads("#if __has_builtin(__builtin_LINE)\n#endif\n"), 0);
}

TEST(Reach, OfInstalledHeadersPrintsNamesAsTextAlone) {
  const std::string assert = "#define assert(x) fail(#x, __FILE__, __LINE__, __PRETTY_FUNCTION__)\n";
  EXPECT_EQ(leads("void f() { assert(1); }", "", assert), kToPosition | kToText | kToTypesOfProject);
  EXPECT_EQ(leads("void f() { assert(1); }", assert), kToPosition | kToText | kToFileName | kToTypes);
}

TEST(Reach, KnowsWhoSpellsArguments) {
  EXPECT_EQ(leads("f(TEXT(a));", "#define TEXT(x) #x\n"), kToText);
  EXPECT_EQ(leads("f(TEXT(a));", "#define TEXT(x) TEXT_(x)\n#define TEXT_(x) #x\n"), kToText);
  EXPECT_EQ(leads("f(a);", "#define TEXT(x) #x\n"), 0);
  EXPECT_NE(leads("f(TEXT(a));", "#define TEXT(x) %:x\n") & kToUnjudged, 0);
  EXPECT_EQ(leads("#if HAS(<a.h>)\n#endif\n", "#define HAS(x) __has_include(x)\n"), kToText);
}

TEST(Reach, KnowsWhereUnnamedTypesBegin) {
  for (const char* text :
       {"use(((W)[] {}).s);", "defer [&] { f(); };", "f(x)[=]() {};", "[]<class T>(T) {};", "a[0] [[nodiscard]] {};",
        "auto f = [] {};", "f([&](int a) { return a; });", "return [a] {};", "struct { int a; } b;", "enum { one };",
        "union alignas(8) { int a; } b;", "x = [=] {};"})
    EXPECT_EQ(leads(text), kToUnnamed) << text;
  for (const char* text : {"int a[3];", "a[1][2];", "f()[1];", "struct S { int a; };", "enum class E : int { one };",
                           "[[nodiscard]] int f();", "delete[] a;", "operator[](int);", "\"abc\"[1];",
                           "template <class T, class> class... U;", "a[b[1]] = c;"})
    EXPECT_EQ(leads(text), 0) << text;
  EXPECT_EQ(leads("f(LAMBDA { return 1; });", "#define LAMBDA [=]\n"), kToUnnamed);
  EXPECT_EQ(leads("RECORD { int a; } b;", "#define RECORD struct\n"), kToUnnamed);
}

// clang prints the name that a typedef gives, unless it prints before that name is known.
TEST(Reach, TakesATypesNameFromItsTypedef) {
  for (const char* text : {"typedef struct { int a; double* b[3]; unsigned c : 3; std::vector<int> d; } t;",
                           "typedef enum { A, B = 4, C = A | B } t; int a;", "typedef union { int a; float b; } t;",
                           "extern \"C\" { typedef struct { int a; } t; }", "typedef struct s { int a; } t;",
                           "typedef int word; struct S { word a; };"})
    EXPECT_EQ(leads(text), 0) << text;
  for (const char* text :
       {"typedef struct { int a; } *t;", "typedef struct { int a; } t[2];", "typedef struct { int a; } t, u;",
        "typedef struct { int a; } const t;", "typedef struct { int a; }", "typedef struct { int a; } t",
        "typedef struct { int f() { return 1; } } t;", "typedef struct { int (*f)(int); } t;",
        "typedef struct { int a = 1; } t;", "typedef struct { struct { int a; } b; } t;",
        "typedef struct { const char* a = \"b\"; } t;", "typedef const struct { int a; } t;",
        "struct { int a; } typedef t;", "typedef struct {\n#include \"members.h\"\n} t;",
        "typedef struct { int a;\n#ifdef B\n} t;\n#else\n} *t;\n#endif\n",
        "typedef struct { int a; } t; struct { int b; } u;", "typedef enum { A = f(1) } t;"})
    EXPECT_EQ(leads(text), kToUnnamed) << text;
}

TEST(Reach, FollowsWordsThatArePastedTogether) {
  constexpr Leads kPlaces = kToPosition | kToFileName;
  const std::string named = "#define NAMED(x) CHE##x\n";
  EXPECT_EQ(leads("int a = NAMED(CK)(1);", named + kCheck), kPlaces | kToPasting);
  EXPECT_EQ(leads("int a = NAMED(CAR)(1);", named + kCheck), kToPasting);
  EXPECT_EQ(leads("int a = f(CK);", named + kCheck), 0);
  EXPECT_EQ(leads("int a = CAT(CH, CAT(EC, K))(1);", std::string("#define CAT(x, y) x##y\n") + kCheck),
            kPlaces | kToPasting);
  EXPECT_EQ(leads("int a = CAT(CH, ECK)(1);", kCheck, "#define CAT(x, y) x##y\n"), kPlaces | kToPasting);
  EXPECT_EQ(leads("int a = CAT(__LI, NE__);", "#define CAT(x, y) x##y\n") & kToPosition, kToPosition);
  EXPECT_NE(leads("int a = CAT(__LI, NE__);", "#define CAT(x, y) x%:%:y\n") & kToUnjudged, 0);
}

TEST(Reach, FollowsNamesThatArePastedLetterByLetter) {
  const std::string cat = "#define CAT(a, b, c, d) a##b##c##d\n#define b_oo(x) __LINE__\n";
  EXPECT_EQ(leads("int CAT(b, _, o, o)(1);", cat) & kToPosition, kToPosition);
  EXPECT_EQ(leads("int CAT(b, _, c, p)(1), o;", cat), kToPasting) << "the words beside the call are no operands";
}

// As hipMemcpy, which HIP's headers paste in some builds: other files' pasting is no matter of this one.
TEST(Reach, ATextPastesWithTheMacrosThatItComesTo) {
  const std::string header = "#define CAT(a, b, c) a##b##c\nint CAT(__, FILE, __);\n#define api(x) x##_spt\n";
  EXPECT_EQ(leads("api(copy)(1);", header), kToPasting);
  EXPECT_EQ(leads("CAT(copy, 1, 2);", header) & kToFileName, kToFileName);
  EXPECT_EQ(leads("NEXT(copy, 1, 2);", header + "#define NEXT(a, b, c) CAT(a, b, c)\n") & kToFileName, kToFileName);
  EXPECT_EQ(leads("NAME(AT)(copy, 1, 2);", header + "#define NAME(x) C##x\n") & kToFileName, kToFileName);
}

// What is pasted is made once for all units that have the same macros and call them in the same way.
class RememberedPasting : public testing::Test {
 protected:
  ReachOf reach(const std::string& source, const std::string& header, const std::string& option = "-O1") {
    return ReachOf({{source}, {header}}, {"clang", option}, [this](const Digest& key, const MakePasting& make) {
      std::shared_ptr<const Pasting>& known = known_[key];
      if (known == nullptr) known = make();
      return known;
    });
  }
  std::size_t made() const { return known_.size(); }

 private:
  std::unordered_map<Digest, std::shared_ptr<const Pasting>> known_;
};

const std::string kCat = "#define CAT(a, b) a##b\nint CAT(x, y);\n";

TEST_F(RememberedPasting, ServesSourcesWithoutMacros) {
  EXPECT_TRUE(reach("int a;", kCat).may_occur("xy"));
  EXPECT_TRUE(reach("int b, c;", kCat).may_occur("xy"));
  EXPECT_FALSE(reach("int xz;", kCat).may_occur("xyz"));
  EXPECT_EQ(made(), 1U);
}

TEST_F(RememberedPasting, ServesNoOtherMacrosOrCalls) {
  EXPECT_FALSE(reach("int a;", kCat).may_occur("xz"));
  EXPECT_TRUE(reach("int CAT(x, z);", kCat).may_occur("xz")) << "a call in the source";
  EXPECT_TRUE(reach("#define y z\n", kCat).may_occur("xz")) << "an argument is a macro of the source";
  EXPECT_TRUE(reach("int a;", kCat + "int CAT(x, z);\n").may_occur("xz")) << "a call in the header";
  EXPECT_TRUE(reach("int a;", "#define CAT(a, b) a##z\nint CAT(x, y);\n").may_occur("xz")) << "another macro";
  EXPECT_TRUE(reach("int a;", kCat, "-Dy=z").may_occur("xz")) << "a macro of the command";
  EXPECT_FALSE(reach("int a;", kCat).may_occur("xz"));
  EXPECT_EQ(made(), 6U);
}

TEST(Reach, FollowsPragmasOfAnArgument) {
  const auto made_by = [](const std::string& user, const std::string& maker = "M(x) _Pragma(#x)") {
    return leads("U(a)", "#define " + maker + "\n#define " + user + "\n") & (kToUnjudged | kToPragma);
  };
  for (const char* user : {"U(x) M(GCC warning #x)", "U(x) M(unroll x)", "U(x) other(M(once), (x))", "U(x) M(__LINE__)",
                           "U(x) M(message \"old\" #x)", "U(x) M (once)", "U(x) M(GCC diagnostic ignored #x)",
                           "U(x) M(GCC warning (x) and a lot of other words of it)", "U(M) M(mine)"})
    EXPECT_EQ(made_by(user), 0) << user;
  EXPECT_EQ(made_by("U(x) M(GCC warning #x)", "M(...) _Pragma(#__VA_ARGS__)"), 0);
  for (const char* user : {"U(x) M(mine)", "U(x) M(x)", "U(unroll) M(unroll 4)", "U(GCC) M(GCC warning \"x\")",
                           "U(warning) M(GCC warning \"x\")", "U(x) M(#x)", "U(x) M(un##roll x)", "U(x) M(unroll##x)",
                           "U(x) M(GCC diagnostic error #x)", "U(x) M(GCC diagnostic x #x)", "U(x) M",
                           "U(x) M x (once)", "U(x) M(once) M(mine)", "U(x) other(M(mine))"})
    EXPECT_NE(made_by(user), 0) << user;
  for (const char* maker : {"M(a, b) _Pragma(#b)", "M(a, ...) _Pragma(#__VA_ARGS__)", "M(a...) _Pragma(#a)",
                            "M(a) _Pragma(#a #a)", "M(a) _Pragma(a)", "M(a) _Pragma(#b)"})
    EXPECT_NE(made_by("U(x) M(once)", maker), 0) << maker;
  EXPECT_NE(made_by("U(x) M(once)", "M(a, b) _Pragma(#b)"), 0) << "not its first argument";
}

TEST(Reach, TakesNoUndefForAUse) {
  EXPECT_EQ(leads("#undef MINE\n", "#define MINE __LINE__\n"), 0);
  EXPECT_TRUE(ReachOf({{"#undef MINE\n"}}, {"clang"}).may_occur("MINE"));
  EXPECT_EQ(leads("#undef MINE\nMINE\n", "#define MINE __LINE__\n"), kToPosition);
}

TEST(Reach, FollowsWhatNoListPermits) {
  EXPECT_EQ(leads("MY_PRAGMA(unroll)", "#define MY_PRAGMA(x) _Pragma(#x)\n") & kToPragma, kToPragma);
  EXPECT_EQ(leads("int a;", "#define MY_PRAGMA(x) _Pragma(#x)\n"), 0) << "nothing uses it";
  EXPECT_EQ(leads("#ifdef MY_DEBUG\n#pragma mine\n#endif\n"), 0) << "it is left out";
  EXPECT_EQ(leads("#pragma mine\n"), kToUnjudged);
  EXPECT_EQ(leads("__builtin_new();") & kToPosition, kToPosition);
  EXPECT_EQ(leads("READ(a)", "#define READ(x) asm(x)\n"), kToAssembly);
}

TEST(Reach, FollowsLoopsWhoseBodyStandsBehindTheMacro) {
  for (const char* macro : {"#define LOOP while (1)\n", "#define LOOP for (;;)\n", "#define LOOP while\n",
                            "#define LOOP EACH(1)\n#define EACH(x) for (int i = 0; i < x; ++i)\n"})
    EXPECT_EQ(leads("LOOP;", macro), kToHead) << macro;
  EXPECT_EQ(leads("LOOP;", "#define LOOP do f(); while (0) + g()\n"), 0);
}

TEST(Reach, IncludesMacrosOfTheCommand) {
  EXPECT_EQ(leads("int a = MINE;", "", "", {"clang", "-DMINE=__LINE__"}), kToPosition);
  EXPECT_EQ(leads("int a = MINE(1);", kCheck, "", {"clang", "-D", "MINE(x)=CHECK(x)"}), kToPosition | kToFileName);
  EXPECT_EQ(leads("int a = MINE(1);", kCheck, "", {"clang", "-D", "MINE=f"}), 0);
  EXPECT_FALSE(macros_of_command({"clang", "@options"}).names->is_known());
  EXPECT_FALSE(macros_of_command({"clang", "--config=a.cfg"}).names->is_known());
}

TEST(Reach, KnowsWhetherANameMayOccur) {
  const auto occurs = [](const std::string& text, const std::string& name, bool is_installed = false,
                         const std::vector<std::string>& arguments = {"clang"}) {
    return ReachOf({{text, is_installed}}, arguments).may_occur(name);
  };
  EXPECT_TRUE(occurs("const char* id = COMMIT;", "COMMIT"));
  EXPECT_TRUE(occurs("#ifdef COMMIT\n#endif\n", "COMMIT"));
  EXPECT_TRUE(occurs("#if defined COMMIT\n#endif\n", "COMMIT", true));
  EXPECT_TRUE(occurs("#define ID COMMIT\n", "COMMIT"));
  EXPECT_TRUE(occurs("#define COMMIT 1\n", "COMMIT"));
  EXPECT_TRUE(occurs("#undef COMMIT\n", "COMMIT"));
  EXPECT_FALSE(occurs("// COMMIT\nconst char* id = \"COMMIT\"; int MY_COMMIT;", "COMMIT"));
  EXPECT_FALSE(occurs("COM MIT", "COMMIT")) << "nothing pastes";
}

TEST(Reach, KnowsWhetherANameMayBePasted) {
  const auto occurs = [](const std::string& text, const std::string& name, const std::string& installed = "") {
    return ReachOf({{text}, {installed, true}}).may_occur(name);
  };
  const std::string cat = "#define CAT(x, y) x##y\n";
  EXPECT_TRUE(occurs(cat + "CAT(COM, MIT)", "COMMIT"));
  EXPECT_TRUE(occurs(cat + "CAT(CAT(GIT, _), ID)", "GIT_ID"));
  EXPECT_TRUE(occurs("#define CONFIG(x) USE_##x\nCONFIG(FAST)", "USE_FAST"));
  EXPECT_TRUE(occurs("#define CONFIG(a, b, c) USE_##a##_##b##_##c\nCONFIG(A, B, 3)", "USE_A_B_3"));
  EXPECT_TRUE(occurs("CONFIG(FAST)", "USE_FAST", "#define CONFIG(x) USE_##x\n"));
  EXPECT_TRUE(occurs("", "USE_FAST", "#define CONFIG(x) USE_##x\nCONFIG(FAST)\n"));
  EXPECT_TRUE(occurs("#define SIZE(x) x##_SIZE\nSIZE(TILE)", "TILE_SIZE"));
  EXPECT_TRUE(occurs("#define SIZE(x) N_##x##_SIZE\nSIZE(3)", "N_3_SIZE"));
  EXPECT_FALSE(occurs("#define CONFIG(x) USE_##x\nCONFIG(FAST)", "USE_SLOW"));
  EXPECT_FALSE(occurs(cat + "CAT(COM, MA)", "COMMIT"));
  EXPECT_FALSE(occurs("int COM, MIT;", "COMMIT", "#define __pair(x) x##_t\n"));
  EXPECT_TRUE(occurs("", "COMMIT", cat + "int CAT(COM, MIT);\n")) << "installed headers as well";
  EXPECT_TRUE(occurs("#define LAYOUT(a, b, c, d) a##b##c##d\nLAYOUT(N, H, W, C)", "NHWC"));
  EXPECT_TRUE(occurs("#define T(a,b,c,d,e) TILE_##a##_##b##_##c##_##d##_##e\nT(16, 8, 4, 2, 1)", "TILE_16_8_4_2_1"));
  EXPECT_TRUE(occurs(cat + "CAT(WAVE, __AMDGCN_WAVEFRONT_SIZE)", "WAVE64")) << "the value of a predefined macro";
  EXPECT_TRUE(occurs("#define XCAT(a, b) CAT(a, b)\n" + cat + "#define PART COM\nXCAT(PART, MIT)", "COMMIT"));
  EXPECT_TRUE(occurs("#define APPLY(m, a, b) m(a, b)\n" + cat + "APPLY(CAT, COM, MIT)", "COMMIT"));
  EXPECT_TRUE(occurs(cat + "#define C CAT\nC(COM, MIT)", "COMMIT"));
  EXPECT_TRUE(occurs(cat + "#define CAT_2(a, b) a##b\nCAT(CAT_, 2)(COM, MIT)", "COMMIT"));
  EXPECT_TRUE(occurs(cat + "#define USE_X COM\n#define XCAT(a, b) CAT(a, b)\nXCAT(CAT(USE_, X), MIT)", "COMMIT"));
  EXPECT_TRUE(occurs(cat + "#define OPEN CAT(COM,\nOPEN MIT)", "COMMIT")) << "the call ends elsewhere";
  EXPECT_TRUE(occurs("#define V(...) V_(__VA_ARGS__)\n#define V_(a, b) a##b\nV(COM, MIT)", "COMMIT"));
  EXPECT_FALSE(occurs("#define P(x) f(\"\", ##x)\nP(COM) P(MIT)", "COMMIT")) << "a comma is no part of a name";
  EXPECT_FALSE(occurs(cat + "CAT(COM, MA) f(COM, MIT)", "COMMIT")) << "other calls";
}

TEST(Reach, ValuesOfOtherMacrosCount) {
  EXPECT_TRUE(ReachOf({{"int a;"}}, {"clang", "-DMAIN=COMMIT"}).may_occur("COMMIT"));
  EXPECT_FALSE(ReachOf({{"int a;"}}, {"clang", "-DCOMMIT=1"}).may_occur("COMMIT"));
}

}  // namespace
}  // namespace hipcache::inputs
