#include "hipcache/command/undivided.h"

#include <gtest/gtest.h>

#include "command/words.h"
#include "hipcache/command/reason.h"

namespace hipcache::command {
namespace {

// The reason against the command, or "" if it is cached whole.
std::string refusal_of(const std::string& line) {
  const auto parsed = parse_undivided(testing::words(line), "/");
  const auto* refused = std::get_if<Uncacheable>(&parsed);
  return refused == nullptr ? "" : refused->reason;
}

TEST(Undivided, TakesCompilesOfBothFamilies) {
  for (const char* line : {"gcc -c a.c", "x86_64-linux-gnu-g++-12 -S a.cc", "cc -E a.c", "clang-19 -M a.c",
                           "hipcc -S k.cpp", "gcc -x c-header a.h", "g++ -c a.cc b.cc", "gcc -c a.c -o /dev/null"})
    EXPECT_EQ(refusal_of(line), "") << line;
}

TEST(Undivided, RefusesWhatNoTraceCanShow) {
  const std::pair<const char*, const char*> lines[] = {
      {"gcc a.c -o a", reason::kLink},
      {"gcc -c -", reason::kStandardInput},
      {"gcc --version", reason::kDriverInformation},
      {"gcc -E a.c -o /dev/stdout", reason::kOutputNotAFile},
      {"clang -ftime-trace -c a.c", reason::kTimeTrace},
      {"clang -Xclang -print-stats -c a.c", reason::kFrontendOption},
      {"clang -mllvm -time-passes -c a.c", reason::kBackendOption},
      {"clang -Xclang -load -Xclang p.so -c a.c", reason::kPlugin},
      {"clang -Xclang -fmodules -c a.c", reason::kModules},
      {"clang -x c-header a.h", reason::kPrecompiledHeader},
      {"clang -frecord-gcc-switches -c a.c", reason::kRecordedCommandLine},
      {"clang -grecord-gcc-switches -g -c a.c", reason::kRecordedCommandLine},
      {"clang -fgpu-rdc --offload-host-only -c a.hip", reason::kRandomCuid},
      {"make -c a.c", reason::kNotACompiler}};
  for (const auto& [line, why] : lines) EXPECT_EQ(refusal_of(line), why) << line;
}

}  // namespace
}  // namespace hipcache::command
