// Headers that a build tool writes in the tick of the files' clock in which the compile starts: the compile is stored.
// If a header changes while the compile runs, its object is never served.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "integration/staleness/support/gate.h"
#include "integration/staleness/support/staleness.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

std::string value(int number) { return "#define VALUE " + std::to_string(1000 + number) + "\n"; }

// Writes the header again and again while it exists; all texts have one size.
class Writer {
 public:
  explicit Writer(const std::string& path) : thread_([this, path] { write_on(path); }) {}
  ~Writer() {
    is_done_ = true;
    thread_.join();
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  void write_on(const std::string& path) {
    for (int number = 0; !is_done_; number = (number + 1) % 1000) std::ofstream(path) << value(number);
  }

  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

class FreshHeader : public OpaqueCompile, public testing::TestWithParam<const char*> {
 protected:
  FreshHeader() {
    project_.write("a.c", "#include \"value.h\"\nint a = VALUE;\n");
    project_.write("value.h", value(0));
    expect_run(command());
  }

  static Arguments command() { return {GetParam(), "-c", "a.c", "-o", "a.o"}; }

  // Starts the compile at once, without waiting for the clock (see Cache::run).
  Counts compile_at_once() {
    const Counts before = cache_.counts();
    EXPECT_EQ(cache_.start(command(), project_.path()).wait().exit_code, 0);
    return cache_.counts() - before;
  }
};

TEST_P(FreshHeader, ThatIsWrittenJustBeforeTheCompileCostsOneCompile) {
  for (int number = 1; number <= 20; ++number) {
    project_.write("value.h", value(number));
    EXPECT_EQ(cache_.start(command(), project_.path()).wait().exit_code, 0);
    const Counts again = compile_at_once();
    EXPECT_EQ(again.hits, 1) << number << ": " << again.json.dump();
  }
  expect_hit(command());
}

TEST_P(FreshHeader, ThatChangesAgainAndAgainIsNeverServedWithAnObjectOfAnotherText) {
  for (int round = 0; round < 10; ++round) {
    {
      const Writer writer(project_ / "value.h");
      for (int time = 0; time < 3; ++time) cache_.start(command(), project_.path()).wait();
    }
    check(command());
  }
}

// As with two racing rules of a build. The second text has the same size.
TEST_P(FreshHeader, ThatChangesAfterItWasReadIsCompiledAgain) {
  project_.write("a.c", "#include \"value.h\"\n#include \"gate.h\"\nint a = VALUE;\n");
  project_.write("gate.h", "");
  {
    const Gate gate(project_ / "gate.h");
    project_.write("value.h", value(1));
    Started compile = cache_.start(command(), project_.path());
    gate.await(compile);
    project_.write("value.h", value(2));
    gate.open_up();
    EXPECT_EQ(compile.wait().exit_code, 0);
  }
  EXPECT_EQ(cache_.counts().not_stored.at("input-changed"), 1);
  expect_run(command());
  expect_hit(command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, FreshHeader, testing::Values("clang-19", "gcc"), [](const auto& one) {
  std::string name;
  for (const char c : std::string(one.param))
    if (c != '-') name += c;
  return name;
});

class FreshDeviceHeader : public Staleness {};

TEST_P(FreshDeviceHeader, ThatIsWrittenJustBeforeTheCompileCostsOneCompile) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n__device__ int value = VALUE;\n");
  project_.write("value.h", value(0));
  warm(command());
  for (int number = 1; number <= 5; ++number) {
    project_.write("value.h", value(number));
    EXPECT_EQ(cache_.start(command(), project_.path()).wait().exit_code, 0);
    const Counts before = cache_.counts();
    EXPECT_EQ(cache_.start(command(), project_.path()).wait().exit_code, 0);
    const Counts again = cache_.counts() - before;
    EXPECT_EQ(again.hits, 1) << number << ": " << again.json.dump();
  }
  expect_hit(command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, FreshDeviceHeader, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
