#include "hipcache/compiler/opaque/opaque_command.h"

#include <gtest/gtest.h>

#include "compiler/words.h"
#include "hipcache/base/reason.h"

namespace hipcache::compiler {
namespace {

// The reason against the command, or "" if it is cached as an opaque compile.
std::string refusal_of(const std::string& line) {
  const auto parsed = parse_opaque(testing::words(line), "/");
  const auto* refused = std::get_if<Uncacheable>(&parsed);
  return refused == nullptr ? "" : text_of(refused->reason);
}

TEST(OpaqueCommand, TakesCompilesOfBothFamilies) {
  for (const char* line :
       {"gcc -c a.c", "x86_64-linux-gnu-g++-12 -S a.cc", "cc -E a.c", "clang-19 -M a.c", "hipcc -S k.cpp",
        "gcc -x c-header a.h", "g++ -c a.cc b.cc", "gcc -c a.c -o /dev/null", "gcc -I/home/dev/fd -c a.c",
        "gcc -c -I/dev/shm/x /dev/shm/a.c -o /dev/shm/a.o", "gcc -I/proc/version -c a.c", "gcc -S -o - a.c"})
    EXPECT_EQ(refusal_of(line), "") << line;
}

TEST(OpaqueCommand, RefusesWhatNoTraceCanShow) {
  const std::pair<const char*, const char*> lines[] = {
      {"clang -cc1 -emit-obj a.c", "unsupported-option"},
      {"gcc -c -", "standard-input"},
      {"gcc -x c -include - -c a.c", "standard-input"},
      {"gcc -x c -c /dev/stdin", "standard-input"},
      {"gcc -x c -c /dev//./fd/../fd/63", "standard-input"},
      {"gcc -x c -c /proc/self/fd/0", "standard-input"},
      {"gcc -x c -c proc/12/task/12/fd/3", "standard-input"},
      {"gcc -include /dev/fd/63 -c a.c", "standard-input"},
      {"gcc -include/dev/fd/63 -c a.c", "standard-input"},
      {"clang --config=/dev/fd/63 -c a.c", "standard-input"},
      {"gcc -Wp,-include,/proc/self/fd/3 -c a.c", "standard-input"},
      {"gcc @/dev/fd/63 -c a.c", "standard-input"},
      {"gcc --version", "driver-information"},
      {"gcc -E a.c -o /dev/stdout", "output-not-a-file"},
      {"clang -ftime-trace -c a.c", "time-trace"},
      {"clang -Xclang -print-stats -c a.c", "frontend-option"},
      {"clang -mllvm -time-passes -c a.c", "backend-option"},
      {"clang -Xclang -load -Xclang p.so -c a.c", "plugin"},
      {"clang -Xclang -fmodules -c a.c", "modules"},
      {"clang -x c-header a.h", "precompiled-header"},
      {"clang -fuse-cuid=random -save-temps -c a.hip", "random-cuid"},
      {"clang -fuse-cuid=none -fgpu-rdc -save-temps -c a.hip", "random-cuid"},
      {"clang -fgpu-rdc --offload-host-only -c a.hip", "random-cuid"},
      {"clang -fgpu-rdc --offload-new-driver a.hip -o a", "random-cuid"},
      {"clang -fgpu-rdc --offload-new-driver a.o b.hipi -o a", "random-cuid"},
      {"clang -fgpu-rdc --offload-new-driver -x hip a.o -o a", "random-cuid"},
      {"make -c a.c", "not-a-compiler"}};
  for (const auto& [line, why] : lines) EXPECT_EQ(refusal_of(line), why) << line;
}

Making making_of(const std::string& line) {
  const auto parsed = parse_opaque(testing::words(line), "/");
  const auto* understood = std::get_if<Invocation>(&parsed);
  EXPECT_NE(understood, nullptr) << line;
  return understood == nullptr ? Making::compile : understood->opaque.making;
}

TEST(OpaqueCommand, TellsLinksAndArchivesFromCompiles) {
  EXPECT_EQ(making_of("gcc -c a.c"), Making::compile);
  EXPECT_EQ(making_of("gcc -x c-header a.h"), Making::compile);
  for (const char* line :
       {"gcc a.o -o a", "clang++-19 -shared a.o -Wl,-soname,a.so.1", "hipcc a.o", "gcc a.c", "ld a.o -o a",
        "/usr/bin/x86_64-linux-gnu-ld.bfd -r a.o", "ld.lld-19 a.o --output=a", "gcc a.o -Wl,--build-id=sha1 -Wl,-Map=m",
        "clang --hip-link -fgpu-rdc --offload-new-driver a.o l.a -lx libm.so.6 -Xoffload-linker -s",
        "gcc a.o -Xlinker --version-script=v"})
    EXPECT_EQ(making_of(line), Making::link) << line;
  for (const char* line : {"ar qc lib.a a.o", "gcc-ar-12 rcs lib.a a.o", "llvm-ar -r -c lib.a a.o", "ranlib lib.a",
                           "llvm-ranlib-19 -D lib.a", "ar s lib.a", "ar qcT lib.a a.o"})
    EXPECT_EQ(making_of(line), Making::archive) << line;
}

TEST(OpaqueCommand, KnowsTheOnlyInputOfACompileAndTheSourceOfALink) {
  const auto only_input = [](const std::string& line) {
    return std::get<Invocation>(parse_opaque(testing::words(line), "/")).opaque.only_input;
  };
  EXPECT_EQ(only_input("gcc -DX -I include -c src/a.c -o a.o"), "src/a.c");
  EXPECT_EQ(only_input("clang-19 -x c -S data"), "data");
  EXPECT_EQ(only_input("gcc -O2 a.c -o a -lm"), "a.c");
  EXPECT_EQ(only_input("gcc -c a.c b.c"), "");
  EXPECT_EQ(only_input("gcc -c a.c --unknown value"), "") << "one of them may be an option's value";
  for (const char* line : {"gcc a.o -o a", "gcc a.c b.o", "ld a.o -o a", "ar qc lib.a a.o"})
    EXPECT_EQ(only_input(line), "") << line;
}

TEST(OpaqueCommand, TellsALinkOfObjectsAloneFromOneThatMayCompile) {
  const auto links_objects = [](const std::string& line) {
    return std::get<Invocation>(parse_opaque(testing::words(line), "/")).opaque.links_objects;
  };
  for (const char* line : {"gcc a.o", "clang++-19 -DX=1 -O2 a.o -L. -lm lib.a x.so.1 -o p", "g++ -shared a.lo -o l.so",
                           "gcc -x none a.o", "clang -fuse-ld=lld a.obj"})
    EXPECT_TRUE(links_objects(line)) << line;
  for (const char* line : {"gcc a.c", "gcc a.o b.c", "gcc -x c a.o", "gcc -xc++ a.o -o p", "gcc a.o script.ld",
                           "gcc a.o --unknown b", "clang a.o -- -b.c", "gcc -specs=my.specs a.o", "gcc -c a.o"})
    EXPECT_FALSE(links_objects(line)) << line;
}

TEST(OpaqueCommand, KnowsTheLanguagesOfWhichClangMakesAnId) {
  const auto makes_id = [](const std::string& line) {
    return std::get<Invocation>(parse_opaque(testing::words(line), "/")).opaque.makes_id;
  };
  for (const char* line : {"clang -c a.hip", "clang -c a.cu", "clang++ -x hip -c a.cpp", "clang++ -xcuda -c a.cpp",
                           "clang -c a.c b.hip", "clang -x hip-cpp-output -c a.i"})
    EXPECT_TRUE(makes_id(line)) << line;
  for (const char* line : {"clang -c a.c", "clang -x c++ -c a.hip", "gcc -c hip/a.cc"})
    EXPECT_FALSE(makes_id(line)) << line;
}

TEST(OpaqueCommand, FindsTheSeedsThatClangIgnores) {
  const auto ignored = [](const std::string& line) {
    return std::get<Invocation>(parse_opaque(testing::words(line), "/")).opaque.ignored.size();
  };
  EXPECT_EQ(ignored("clang++-19 -O2 -frandom-seed=a -c a.cc -frandom-seed=b"), 2);
  EXPECT_EQ(ignored("clang -include -frandom-seed=a -c a.c"), 0);
  EXPECT_EQ(ignored("clang --unknown -frandom-seed=a -c a.c"), 0);
  for (const char* program : {"gcc", "cc", "hipcc"})
    EXPECT_EQ(ignored(program + std::string(" -frandom-seed=a -c a.c")), 0) << program;
}

TEST(OpaqueCommand, NamesTheOutputOfLinksAndTheArchiveThatIsReadAndWritten) {
  const auto invocation = [](const std::string& line) {
    return std::get<Invocation>(parse_opaque(testing::words(line), "/"));
  };
  EXPECT_EQ(invocation("gcc a.o").object, "a.out");
  EXPECT_EQ(invocation("ld a.o --output=prog").object, "prog");
  EXPECT_EQ(invocation("ld a.o --output prog").object, "prog");
  EXPECT_EQ(invocation("ar -q -c lib.a a.o").opaque.updates, "lib.a");
  EXPECT_EQ(invocation("ranlib -D lib.a").opaque.updates, "lib.a");
  EXPECT_EQ(invocation("gcc a.o").opaque.updates, "");
  EXPECT_EQ(invocation("clang --hip-link --emit-static-lib a.o -o liba.a").opaque.updates, "liba.a");
}

TEST(OpaqueCommand, RefusesLinksAndArchivesThatEqualInputsDoNotMakeEqual) {
  const std::pair<const char*, const char*> lines[] = {{"gcc a.o -Wl,--build-id=uuid", "linker-option"},
                                                       {"gcc a.o -Wl,--as-needed,-build-id=uuid", "linker-option"},
                                                       {"gcc a.o -Xlinker --build-id=uuid", "linker-option"},
                                                       {"ld a.o --shuffle-sections=*=-1", "linker-option"},
                                                       {"ld.gold a.o --incremental", "linker-option"},
                                                       {"ld.lld a.o --thinlto-cache-dir=c", "linker-option"},
                                                       {"clang a.o -Wl,-plugin-opt=cache-dir=c", "linker-option"},
                                                       {"ld.lld a.o --reproduce=r.tar", "linker-option"},
                                                       {"clang a.o -Wl,--time-trace", "statistics"},
                                                       {"gcc a.o -Wl,--stats", "statistics"},
                                                       {"gcc a.o -Wl,-plugin,p.so", "plugin"},
                                                       {"clang a.o -Wl,-mllvm,-time-passes", "backend-option"},
                                                       {"gcc a.o -Wl,@more", "response-file"},
                                                       {"ld", "no-input"},
                                                       {"ld --version", "driver-information"},
                                                       {"ar --version", "driver-information"},
                                                       {"ar qcU lib.a a.o", "archive-times"},
                                                       {"ar ru lib.a a.o", "archive-times"},
                                                       {"ranlib -U lib.a", "archive-times"},
                                                       {"ranlib -t lib.a", "archive-times"},
                                                       {"ranlib one.a two.a", "archive-operation"},
                                                       {"ar t lib.a", "archive-operation"},
                                                       {"ar x lib.a", "archive-operation"},
                                                       {"ar d lib.a a.o", "archive-operation"},
                                                       {"ar rb a.o lib.a b.o", "archive-operation"},
                                                       {"ar -M", "archive-operation"},
                                                       {"ar qc --plugin p.so lib.a a.o", "archive-operation"},
                                                       {"ar qc", "archive-operation"},
                                                       {"ranlib", "no-input"}};
  for (const auto& [line, why] : lines) EXPECT_EQ(refusal_of(line), why) << line;
}

TEST(FurtherCompilers, AreThoseThatAreNamedByTheirNamesAlone) {
  const std::vector<std::string> argv{"/opt/mpi/mpicxx", "-c", "a.c"};
  const auto is_understood = [&](const std::vector<std::string>& named) {
    return std::holds_alternative<Invocation>(parse_opaque(argv, "/", named));
  };
  EXPECT_FALSE(is_understood({}));
  EXPECT_FALSE(is_understood({"mpicc", "mpicxx2", "xmpicxx=gcc"}));
  EXPECT_TRUE(is_understood({"mpicxx"}));
  EXPECT_TRUE(is_understood({"mpicc", "mpicxx=gcc"}));
  EXPECT_TRUE(is_understood({"mpicxx=clang"}));
}

TEST(FurtherCompilers, OfAnUnknownFamilyMakeNoPrecompiledHeaderOfClangs) {
  const auto invocation = [](const std::string& named, const std::vector<std::string>& arguments) {
    return parse_opaque(arguments, "/", {named});
  };
  const std::vector<std::string> header{"mycc", "-c", "a.h"};
  EXPECT_EQ(std::get<Uncacheable>(invocation("mycc", header)).reason, Reason::precompiled_header);
  EXPECT_EQ(std::get<Uncacheable>(invocation("mycc=clang", header)).reason, Reason::precompiled_header);
  EXPECT_TRUE(std::holds_alternative<Invocation>(invocation("mycc=gcc", header)));
}

TEST(FurtherCompilers, ThatAreNotNamedComeWithAdvice) {
  const auto detail = [](const std::string& program) {
    return std::get<Uncacheable>(parse_opaque({program, "clang++", "-c", "a.c"}, "/")).detail;
  };
  EXPECT_EQ(detail("/opt/mpicxx"), "/opt/mpicxx: if this is a compiler, name it: HIPCACHE_COMPILERS=mpicxx");
  EXPECT_EQ(detail("nice"), "nice: put hipcache after it, as in \"nice hipcache clang++ ...\"");
  EXPECT_EQ(detail("ccache"), "ccache");
}

}  // namespace
}  // namespace hipcache::compiler
