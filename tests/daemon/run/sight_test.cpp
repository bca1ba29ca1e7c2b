// What a run's outputs and messages show of its sources.
#include "daemon/run/sight.h"

#include "daemon/run/debug_sight.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

class DebugInformation : public testing::Test {
 protected:
  // The object that the command makes of a source with a header; "" if the compiler is not installed.
  std::string object(const std::string& command) {
    scratch_.write("a.h", "inline int twice(int x) { return 2 * x; }\n");
    scratch_.write("a.cpp", "#include \"a.h\"\nint f(int x) { return twice(x); }\n");
    const std::string compiler = command.substr(0, command.find(' '));
    if (std::system(("command -v " + compiler + " >/dev/null").c_str()) != 0) return "";
    const std::string line = "cd " + scratch_ / "" + " && " + command + " -c a.cpp -o a.o";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return support::read_bytes(scratch_ / "a.o");
  }

  support::Scratch scratch_;
};

struct Case {
  const char* command;
  DebugSight shown;
};

TEST_F(DebugInformation, ShowsPlacesUnlessItMayHoldDigestsOrTexts) {
  for (const Case& one : {
           Case{"g++", DebugSight::nothing},
           Case{"g++ -g", DebugSight::places},
           Case{"g++ -O2 -g1", DebugSight::places},
           Case{"g++ -g -gdwarf-4", DebugSight::places},
           Case{"g++ -g -gdwarf-2", DebugSight::places},
           Case{"g++ -g -ffunction-sections", DebugSight::places},
           Case{"g++ -g3", DebugSight::bytes},
           Case{"g++ -g -gz", DebugSight::bytes},
           Case{"g++ -g -gsplit-dwarf", DebugSight::bytes},
           Case{"g++ -g -flto", DebugSight::bytes},
           Case{"g++ -g -m32", DebugSight::bytes},
           Case{"clang++-15 -gdwarf-4", DebugSight::places},
           Case{"clang++-15 -g1 -gdwarf-3", DebugSight::places},
           Case{"clang++-15 -g", DebugSight::bytes},
           Case{"clang++-15 -gdwarf-4 -gz", DebugSight::bytes},
           Case{"clang++-15 -gdwarf-5 -gembed-source", DebugSight::bytes},
           Case{"clang++-19 -gdwarf-4 -O2", DebugSight::places},
           Case{"clang++-19 -gdwarf-4 -fdebug-macro", DebugSight::bytes},
           Case{"clang++-19 -g", DebugSight::bytes},
           Case{"clang++-19 -gline-tables-only", DebugSight::bytes},
           Case{"clang++-19 -g --target=i386-linux-gnu", DebugSight::bytes},
       }) {
    const std::string made = object(one.command);
    if (made.empty() || (std::string_view(one.command).find("-m32") != std::string::npos && made[4] != 1)) continue;
    EXPECT_EQ(debug_sight(made), one.shown) << one.command;
  }
}

TEST_F(DebugInformation, OfAnObjectWithinAnObjectMayHoldAll) {
  const std::string made = object("g++ -g");
  EXPECT_EQ(debug_sight(made + made), DebugSight::bytes);
  EXPECT_EQ(debug_sight(made + "CCOB"), DebugSight::bytes);
}

TEST_F(DebugInformation, ThatIsCutOffOrDamagedEndsNoProcess) {
  const std::string made = object("g++ -g");
  EXPECT_EQ(debug_sight("no object, but .debug_line"), DebugSight::bytes);
  for (std::size_t size = 0; size < made.size(); size += 7) debug_sight(std::string_view(made).substr(0, size));
  for (std::size_t at = 0; at < made.size(); ++at) {
    std::string damaged = made;
    damaged[at] ^= '\x81';
    debug_sight(damaged);
  }
}

}  // namespace
}  // namespace hipcache::daemon
