// A wrapper may choose the compiler's words by anything that it can ask for. No answer of another moment or machine is
// used.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "integration/staleness/support/wrappers.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

struct Asked {
  const char* by;      // text of a shell that sets x
  const char* change;  // command of a shell that changes the answer
};

// The files d and e have the same time. d holds "abc", e one byte.
constexpr Asked kAsked[] = {
    {"x=$(stat -c %s d)", "printf more >> d"},
    {"x=$(stat -c %Y d)", "touch -d @1600000000 d"},
    {"x=1; [ d -nt e ] && x=2", "touch -d @1600000000 d"},
    {"x=1; [ d -ef e ] && x=2", "ln -f e d"},
    {"x=1; [ -L d ] && x=2", "mv d real; ln -s real d"},
    {"x=1; [ -u d ] && x=2", "chmod u+s d"},
    {"x=1; [ -x d ] && x=2", "chmod +x d"},
    {"x=$(stat -c 0%a d)", "chmod 640 d"},
    {"x=$(stat -c %h d)", "ln d dd"},
    {"x=$(stat -c %i d)", "cp -p d dd; mv dd d"},
    {"x=$(du -b d | cut -f1)", "printf more >> d"},
    {"x=$(wc -c < d)", "printf more >> d"},
    {"x=$(perl -e 'print -s q(d)')", "printf more >> d"},
    {"x=$(perl -e 'print((stat(q(d)))[9])')", "touch -d @1600000000 d"},
    {"x=$(ls d* | wc -l)", "touch dd"},
    {"x=$(umask)", "umask 027"},
    {"x=$(ulimit -n)", "ulimit -n 200"},
    {"x=$(nice)", "renice -n 5 $$ >/dev/null"},
};

class WrapperQuestions : public Wrappers {
 protected:
  // Runs the wrapper after the change, within the same shell, because the change may be one of the process.
  int value_after(const char* change, bool by_cache) {
    const std::string command =
        std::string(change) + "; exec " + (by_cache ? hipcache_program() + " " : "") + "bin/clang++ -c s.cpp -o s.o";
    const Arguments argv{"sh", "-c", command};
    const Ended ended = run(argv, project_.path(), cache_.variables());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const Ended shown = run({"sh", "-c", "objcopy -O binary -j .data s.o value && od -An -td4 value"}, project_.path());
    return std::stoi(shown.out);
  }

  void lay_out() {
    run({"sh", "-c", "rm -rf d dd e f real; printf abc > d; printf z > e; chmod 644 d e; touch -d @1500000000 d e"},
        project_.path());
  }
};

TEST_P(WrapperQuestions, AreAskedEachTime) {
  project_.write("s.cpp", "int q = Q + 1;\n");
  for (const Asked& asked : kAsked) {
    write_script(std::string("#!/bin/sh\n") + asked.by + "\nexec " + driver() + " -DQ=$x \"$@\"\n");
    lay_out();
    const int before = value_after(":", true);
    EXPECT_EQ(value_after(":", true), before) << asked.by;
    const int now = value_after(asked.change, true);
    EXPECT_NE(now, before) << asked.by;
    EXPECT_EQ(value_after(":", false), value_after(":", true)) << asked.by;
    lay_out();
  }
}

// The second time each compile is found, since the words are the same.
TEST_P(WrapperQuestions, WithTheSameAnswersAreAHit) {
  project_.write("s.cpp", "int q = Q + 1;\n");
  for (const Asked& asked : kAsked) {
    write_script(std::string("#!/bin/sh\n") + asked.by + "\nexec " + driver() + " -DQ=$x \"$@\"\n");
    lay_out();
    value_after(":", true);
    const Counts before = cache_.counts();
    value_after(":", true);
    EXPECT_EQ((cache_.counts() - before).hits, 1) << asked.by;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, WrapperQuestions, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
