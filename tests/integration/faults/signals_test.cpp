// A compile that a signal ends leaves what the compiler alone leaves: no file of hipcache's, no process, the same exit
// status.
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>

#include "integration/support/opaque_compile.h"
#include "integration/support/single_compile.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;
using Names = std::set<std::string>;

constexpr auto kBound = 60s;
constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGUSR2, SIGXFSZ, SIGXCPU, SIGPIPE, SIGUSR1, SIGQUIT};
constexpr std::chrono::milliseconds kMoments[] = {0ms, 30ms, 150ms};

Names names_in(const std::string& directory) {
  Names names;
  for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename());
  return names;
}

// clang makes its temporary file a moment before it arranges its removal by a signal. A signal in that moment leaves
// the file, with and without hipcache. Removes such files, and their names from the list.
Names without_clangs_own(Names names, const std::string& directory) {
  std::erase_if(names, [&](const std::string& name) {
    return fnmatch("a-????????.o.tmp", name.c_str(), 0) == 0 && fs::remove(directory + "/" + name);
  });
  return names;
}

// The ids of the processes that run in the directory.
std::set<std::string> processes_in(const std::string& directory) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path() / "cwd", gone) == directory && !gone) found.insert(entry.path().filename());
  }
  return found;
}

bool comes_true(const std::function<bool()>& condition) {
  for (const auto until = Clock::now() + kBound; Clock::now() < until; std::this_thread::sleep_for(1ms))
    if (condition()) return true;
  return false;
}

// What a compile left that got a signal some time after it began to run.
struct Left {
  int exit_code = 0;
  Names names;
};

class Signals {
 protected:
  Left signalled(Started compile, const std::function<bool()>& has_begun, int signal, std::chrono::milliseconds moment,
                 const std::string& directory) const {
    EXPECT_TRUE(comes_true(has_begun));
    std::this_thread::sleep_for(moment);
    kill(compile.pid(), signal);
    const Ended ended = compile.wait();
    return {ended.exit_code, without_clangs_own(names_in(directory), directory)};
  }

  // Sends each signal, at varying moments.
  void expect_as_alone(const Cache& cache, const Arguments& command, const std::string& directory) const {
    const Names before = names_in(directory);
    std::size_t count = 0;
    for (const int signal : kSignals) {
      const auto moment = kMoments[count++ % std::size(kMoments)];
      SCOPED_TRACE(strsignal(signal) + (" after " + std::to_string(moment.count())) + " ms");
      const Left cached =
          signalled(cache.start(command, directory), [&] { return cache.leftovers() > 0; }, signal, moment, directory);
      EXPECT_EQ(cached.names, before) << "it was to be ended before it was done";
      EXPECT_TRUE(processes_in(directory).empty()) << "a process is left";
      EXPECT_TRUE(comes_true([&] { return cache.leftovers() == 0; }));
      // For other signals clang may go on, or leave its temporary files.
      if (std::set<int>{SIGTERM, SIGINT, SIGHUP}.count(signal) == 0) continue;
      const Left alone = signalled(
          Started(command, directory, {}), [&] { return !processes_in(directory).empty(); }, signal, moment, directory);
      EXPECT_EQ(cached.exit_code, alone.exit_code);
      EXPECT_EQ(cached.names, alone.names);
      // gcc's driver leaves its compiler running, which hipcache did not start.
      for (const std::string& left : processes_in(directory)) kill(std::stoi(left), SIGKILL);
      EXPECT_TRUE(comes_true([&] { return processes_in(directory).empty(); }));
    }
  }
};

class SplitSignals : public SingleCompile, public Signals {};

TEST_P(SplitSignals, EndAMissAsTheyEndTheCompiler) {
  write_slow_source();
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  expect_as_alone(cache_, command("-O2"), project_.path());
  check(command("-O2"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, SplitSignals, testing::ValuesIn(kCompilers), name_of);

class OpaqueSignals : public OpaqueCompile, public Signals, public testing::TestWithParam<std::string> {
 protected:
  void write_slow() const {
    std::string source;
    for (int number = 0; number < 2000; ++number) {
      const std::string name = "f" + std::to_string(number);
      source += "int " + name + "(int x, int y) { for (int i = 0; i < x; ++i) y = y * i % 7 + (x ^ " + name.substr(1) +
                "); return y; }\n";
    }
    project_.write("a.c", source);
  }

  Arguments command(const std::string& flags) const { return words(GetParam() + " " + flags + " -c a.c -o a.o"); }
};

TEST_P(OpaqueSignals, EndAMissAsTheyEndTheCompiler) {
  write_slow();
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  expect_as_alone(cache_, command("-O2"), project_.path());
}

// Placing a large output takes time. The output is complete or absent, and never under a temporary name of hipcache's.
TEST_P(OpaqueSignals, EndAHitOfALargeOutputWithoutATrace) {
  project_.write("a.c", "char large[64 << 20] = {1};\n");
  expect_run(command(""));
  const auto size = fs::file_size(project_ / "a.o");
  const Names all{"a.c", "a.o"};
  const Names without{"a.c"};
  std::vector<int> signals(std::begin(kSignals), std::end(kSignals));
  signals.push_back(SIGKILL);
  for (const int signal : signals)
    for (const auto moment : {0ms, 2ms, 5ms, 10ms, 20ms, 40ms}) {
      SCOPED_TRACE(strsignal(signal) + (" after " + std::to_string(moment.count())) + " ms");
      if (moment != 5ms) fs::remove(project_ / "a.o");
      Started compile = cache_.start(command(""), project_.path());
      std::this_thread::sleep_for(moment);
      kill(compile.pid(), signal);
      compile.wait();
      const Names names = names_in(project_.path());
      EXPECT_TRUE(names == all || names == without || (signal == SIGKILL && names.count("a.o.hipcache-new") == 1))
          << testing::PrintToString(names);
      if (names.count("a.o") == 1) {
        EXPECT_EQ(fs::file_size(project_ / "a.o"), size);
      }
    }
  // The next hit removes what a kill can leave in the one moment in which that is possible. On a loaded machine the
  // daemon still reads for the killed clients, and the compiler runs instead.
  const auto is_hit = [&] {
    project_.write("a.o", "old");
    project_.write("a.o.hipcache-new", "of a process that was killed");
    const Counts before = cache_.counts();
    EXPECT_EQ(cache_.run(command(""), project_.path()).exit_code, 0);
    return (cache_.counts() - before).hits == 1;
  };
  ASSERT_TRUE(support::comes_true(is_hit));
  EXPECT_EQ(names_in(project_.path()), all);
}

std::string name_of_program(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Compilers, OpaqueSignals, testing::Values("gcc", "clang-19"), name_of_program);

}  // namespace
}  // namespace hipcache::integration
