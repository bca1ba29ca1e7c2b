#include "hipcache/compiler/cc1.h"

#include <gtest/gtest.h>

#include "compiler/words.h"

namespace hipcache::compiler {
namespace {

using testing::words;

Cc1Role role_of(const std::string& line) {
  const auto read = read_cc1(words(line));
  if (!read || read->size() != 1) {
    ADD_FAILURE() << line;
    return Cc1Role::plain;
  }
  return read.value()[0].role;
}

TEST(Cc1, GivesFilesTheirRoles) {
  EXPECT_EQ(role_of("a.hip"), Cc1Role::source);
  EXPECT_EQ(role_of("-o a.o"), Cc1Role::output);
  EXPECT_EQ(role_of("-dependency-file a.d"), Cc1Role::depfile);
  EXPECT_EQ(role_of("-split-dwarf-output a.dwo"), Cc1Role::split_dwarf);
  EXPECT_EQ(role_of("-stack-usage-file a.su"), Cc1Role::stack_usage);
  EXPECT_EQ(role_of("-fcuda-include-gpubinary a.hipfb"), Cc1Role::fatbin);
}

TEST(Cc1, KnowsTheActionsThatMakeOneFile) {
  for (const char* action : {"-emit-obj", "-emit-llvm-bc", "-emit-llvm", "-S"})
    EXPECT_EQ(role_of(action), Cc1Role::emits) << action;
  EXPECT_FALSE(read_cc1(words("-emit-obj -S")));
}

TEST(Cc1, TellsTheOptionsOfTheDepfileAloneFromThoseThatReachTheObject) {
  EXPECT_EQ(role_of("-MT a.o"), Cc1Role::dependency);
  EXPECT_EQ(role_of("-sys-header-deps"), Cc1Role::dependency);
  EXPECT_EQ(role_of("-MP"), Cc1Role::dependency);
  EXPECT_EQ(role_of("-MG"), Cc1Role::preprocessing);  // a missing header is no error with it
}

TEST(Cc1, TellsWhatTheUserPreprocessesAndIsWarnedOfFromWhatShapesCode) {
  for (const char* option : {"-DX=1", "-D X", "-UX", "-I/x", "-I /x", "-include x.h", "-isystem /x", "-iquote /x"})
    EXPECT_EQ(role_of(option), Cc1Role::preprocessing) << option;
  for (const char* option : {"-Wall", "-Werror", "-Wno-unused", "-pedantic", "-w"})
    EXPECT_EQ(role_of(option), Cc1Role::warning) << option;
  for (const char* option : {"-std=c++17", "-fno-rtti", "-mframe-pointer=all", "-fhip-new-launch-api"})
    EXPECT_EQ(role_of(option), Cc1Role::plain) << option;
}

TEST(Cc1, TellsWhatSplitsACompileFromWhatShapesCode) {
  for (const char* option : {"-O0", "-O2", "-Os", "-Ofast"})
    EXPECT_EQ(role_of(option), Cc1Role::optimization) << option;
  EXPECT_EQ(role_of("-x hip"), Cc1Role::language);
  for (const char* option : {"-mlink-builtin-bitcode ocml.bc", "-mlink-bitcode-file other.bc"})
    EXPECT_EQ(role_of(option), Cc1Role::device_library) << option;
  for (const char* option : {"-Rpass=inline", "-Rpass-analysis=kernel-resource-usage"})
    EXPECT_EQ(role_of(option), Cc1Role::remark) << option;
}

TEST(Cc1, KnowsWhatPutsPathsIntoAnObject) {
  for (const char* option : {"-debug-info-kind=constructor", "-dwarf-version=5", "-gcodeview", "-debug-info-macro",
                             "-fdebug-info-for-profiling"}) {
    EXPECT_EQ(role_of(option), Cc1Role::records_paths) << option;
  }
  for (const char* option : {"-fcoverage-mapping", "-fprofile-instrument=clang", "--compress-debug-sections=zlib",
                             "-fsanitize=address", "-funique-internal-linkage-names"}) {
    EXPECT_EQ(role_of(option), Cc1Role::hashes_names) << option;
  }
  for (const char* option : {"-fdebug-prefix-map=/x=.", "-fmacro-prefix-map=/x=.", "-fcoverage-prefix-map=/x=.",
                             "-fsanitize-ignorelist=/x", "-fsanitize-system-ignorelist=/x"})
    EXPECT_EQ(role_of(option), Cc1Role::plain) << option;
  EXPECT_EQ(role_of("-debugger-tuning=gdb"), Cc1Role::plain);
  EXPECT_EQ(role_of("-fdebug-compilation-dir=/x"), Cc1Role::compilation_dir);
  EXPECT_EQ(role_of("-fdebug-compilation-dir /x"), Cc1Role::compilation_dir);
  EXPECT_EQ(role_of("-fcoverage-compilation-dir=/x"), Cc1Role::compilation_dir);
}

TEST(Cc1, KnowsHowManyArgumentsAnOptionTakes) {
  const auto read = read_cc1(words("-D -o -Dx -o a.o a.hip"));
  ASSERT_TRUE(read);
  ASSERT_EQ(read.value().size(), 4u);
  EXPECT_EQ(read.value()[0].role, Cc1Role::preprocessing);
  EXPECT_EQ(read.value()[0].count, 2u);
  EXPECT_EQ(read.value()[1].count, 1u);
  EXPECT_EQ(read.value()[2].role, Cc1Role::output);
  EXPECT_EQ(read.value()[2].value, "a.o");
  EXPECT_EQ(read.value()[3].first, 5u);
}

TEST(Cc1, UnderstandsTheWordsOfClang15) {
  const auto read = read_cc1(words("--mrelax-relocations -fvisibility hidden -menable-unsafe-fp-math -o a.o a.hip"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().back().role, Cc1Role::source);
  EXPECT_EQ(read.value().back().first, 6u);
}

TEST(Cc1, UnderstandsTheWordsOfClang22) {
  const auto read = read_cc1(words("-fdwarf2-cfi-asm --no-offloadlib -o a.o a.hip"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().back().first, 4u);
}

TEST(Cc1, TakesAnUnknownOptionWithTheWordBehindItUnlessThatIsAnOption) {
  const auto read = read_cc1(words("-such -fother-thing=2 -another value -o a.o -x hip a.hip"));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 6u);
  EXPECT_EQ(read.value()[0].count, 1u);
  EXPECT_EQ(read.value()[1].role, Cc1Role::plain);
  EXPECT_EQ(read.value()[2].count, 2u);
  EXPECT_EQ(read.value()[2].value, "value");
  EXPECT_EQ(read.value()[5].value, "a.hip");
  EXPECT_EQ(role_of("-fsuch-sanitize-thing"), Cc1Role::hashes_names);
  EXPECT_EQ(role_of("-gsuch-thing"), Cc1Role::records_paths);
}

TEST(Cc1, RefusesAnUnknownOptionWhoseValueMayBeAFile) {
  EXPECT_FALSE(read_cc1(words("-such /tmp/x -o a.o -x hip a.hip")));
  EXPECT_FALSE(read_cc1(words("-such -D -load x.so"))) << "it may take -D, and then a library is loaded";
}

TEST(Cc1, TakesAnOptionOfLaterClangsWithItsValueUnlessItIsLoud) {
  const auto read = read_cc1(words("-fconstexpr-depth 5 -fprofile-continuous -x hip a.hip"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value()[0].count, 2u);
  EXPECT_EQ(read.value()[0].role, Cc1Role::plain);
  EXPECT_EQ(role_of("-fprofile-continuous"), Cc1Role::hashes_names);
  for (const char* line : {"-ftime-report-json", "-internal-iframework /x", "-mmlir -mlir-print-ir-after-all",
                           "-fms-secure-hotpatch-functions-file=x", "-fdebug-run-lifetime-safety /x a.hip -load x.so"})
    EXPECT_FALSE(read_cc1(words(line))) << line;
}

TEST(Cc1, KeepsWhatMayBeTheValueOfAnUnknownOption) {
  const auto read = read_cc1(words("-such -fdebug-compilation-dir=/x"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value()[1].role, Cc1Role::plain) << "else the key would leave it out";
}

TEST(Cc1, IsNotMisledByTheWordsOfClang15AsValuesOfOthers) {
  EXPECT_FALSE(read_cc1(words("-D -fvisibility -load x.so")));
  const auto read = read_cc1(words("-o -fvisibility -D --mrelax-relocations a.hip"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value()[0].value, "-fvisibility");
  EXPECT_EQ(read.value()[1].value, "--mrelax-relocations");
}

class RefusedCc1Option : public ::testing::TestWithParam<const char*> {};

TEST_P(RefusedCc1Option, IsAnErrorThatNamesIt) {
  const auto read = read_cc1(words(GetParam()));
  ASSERT_FALSE(read) << GetParam();
  EXPECT_NE(read.error().message.find(words(GetParam())[0]), std::string::npos) << read.error().message;
}

INSTANTIATE_TEST_SUITE_P(Table, RefusedCc1Option,
                         ::testing::Values("-such-output", "-fsuch=/x", "-o", "-serialize-diagnostic-file x",
                                           "-diagnostic-log-file x", "-opt-record-file x", "-ftime-trace=x",
                                           "-stats-file=x", "-coverage-notes-file=x", "-coverage-data-file=x",
                                           "-header-include-file x", "-module-dependency-dir x", "-dependency-dot x",
                                           "-load x.so", "-plugin x", "-add-plugin x", "-fpass-plugin=x",
                                           "-include-pch x", "-emit-pch", "-E", "-emit-module", "-ast-dump",
                                           "-fsyntax-only", "-print-stats", "-fixit", "-fmodules", "-fmodule-file=x",
                                           "-fthin-link-bitcode=x", "-version", "-help", "-working-directory x",
                                           "-dwarf-debug-flags x", "-record-command-line x", "-mllvm -stats",
                                           "-remap-file x;y", "-fdump-record-layouts", "-ftime-report",
                                           "-save-temps=cwd", "-as-secure-log-file x"));

TEST(BackendOption, IsQuietUnlessItsNameSaysThatItPrintsOrWrites) {
  for (const char* quiet : {"-inline-threshold=100", "-amdgpu-internalize-symbols", "--amdhsa-code-object-version=5",
                            "-treat-scalable-fixed-error-as-warning", "-amdgpu-load-store-vectorizer=0",
                            "-unroll-runtime", "-mattr=+sramecc,-xnack"}) {
    EXPECT_TRUE(is_quiet_backend_option(quiet)) << quiet;
  }
  for (const char* loud : {"-print-after-all",
                           "-print-before=isel",
                           "-debug",
                           "-debug-only=x",
                           "-stats",
                           "-time-passes",
                           "-dot-cfg",
                           "-view-isel-dags",
                           "-info-output-file=x",
                           "-pass-remarks-output=x",
                           "-load=x",
                           "-opt-bisect-limit=3",
                           "-filter-print-funcs=x",
                           "-amdgpu-dump-hsa-metadata",
                           "",
                           "-",
                           "--",
                           "x",
                           "-stats_json",
                           "-track-memory",
                           "-rng-seed=1"}) {
    EXPECT_FALSE(is_quiet_backend_option(loud)) << loud;
  }
}

}  // namespace
}  // namespace hipcache::compiler
