// Files that get a new stamp and keep their content while the compiler runs. Causes are a backup's hard links, a change
// of mode, or a reinstalled package. The step is recorded. If the content changed, it is not.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>

#include "integration/staleness/support/gate.h"
#include "integration/staleness/support/toolchain.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

void link_once_more(const fs::path& path) { fs::create_hard_link(path, path.string() + ".backup"); }

// `chmod -R` to the same modes, which still changes the ctime.
void change_modes(const std::string& directory) {
  EXPECT_EQ(run({"chmod", "-R", "u+rwX", directory}, "/").exit_code, 0);
}

void write_keeping_time(const fs::path& path, const std::string& text) {
  const auto time = fs::last_write_time(path);
  std::ofstream(path) << text;
  fs::last_write_time(path, time);
}

// A file or directory as a package, with times in nanoseconds.
class Package {
 public:
  explicit Package(const std::string& tree, const std::string& name = ".") : tree_(tree) {
    EXPECT_EQ(run({"tar", "cf", scratch_ / "tar", "--format=posix", name}, tree_).exit_code, 0);
  }
  void unpack() const { EXPECT_EQ(run({"tar", "xf", scratch_ / "tar"}, tree_).exit_code, 0); }

 private:
  std::string tree_;
  support::Scratch scratch_;
};

constexpr const char* kValue = "#define VALUE 1\n";
constexpr const char* kOtherValue = "#define VALUE 2\n";

class TouchedStaleness : public Staleness {
 protected:
  // One step at a time, gfx906's device step first. Only that step passes the gate.
  TouchedStaleness() : Staleness({{"HIPCACHE_JOBS", "1"}}) {
    toolchain_.copy("bin/lld");
    project_.write("gate.h", "");
    project_.write("value.h", kValue);
    write_kernel(project_, "a.hip", R"(
#include "value.h"
#if defined(__HIP_DEVICE_COMPILE__) && defined(__gfx906__)
#include "gate.h"
#endif
__device__ int value = VALUE;
)");
  }

  void SetUp() override { await_settled(project_ / "a.hip"); }

  // For changes while the device step of gfx906 runs.
  void expect_stored(const std::function<void()>& change) {
    hold_at_gate(cache_, project_.path(), toolchain_.compile(), change);
    const Counts held = cache_.counts();
    EXPECT_EQ(held.not_stored, (std::map<std::string, std::int64_t>{})) << held.json.dump();
    EXPECT_EQ(held.run.at("device"), 2);
    expect_hit(toolchain_.compile());
  }
  void expect_refused(const std::function<void()>& change, const Steps& after) {
    hold_at_gate(cache_, project_.path(), toolchain_.compile(), change);
    EXPECT_EQ(cache_.counts().not_stored, (std::map<std::string, std::int64_t>{{"input-changed", 1}}));
    expect_runs(after, toolchain_.compile());
    expect_hit(toolchain_.compile());
  }
  Toolchain toolchain_{GetParam()};
};

TEST_P(TouchedStaleness, HardLinksToTheCompilersFilesLoseNoStep) {
  expect_stored([&] {
    link_once_more(toolchain_ / "bin/clang");
    link_once_more(toolchain_ / "bin/lld");
  });
}

TEST_P(TouchedStaleness, ModesOfTheCompilersFilesLoseNoStep) {
  expect_stored([&] { change_modes(toolchain_.path()); });
}

TEST_P(TouchedStaleness, TheSameCompilerUnpackedOnceMoreLosesNoStep) {
  const Package package(toolchain_.path());
  expect_stored([&] { package.unpack(); });
}

TEST_P(TouchedStaleness, ACompilerOfOtherBytesUnpackedMeanwhileIsRefused) {
  const std::string old = support::read_bytes(toolchain_ / "bin/clang");
  std::string other = old;
  other.back() = static_cast<char>(other.back() + 1);
  const auto time = fs::last_write_time(toolchain_ / "bin/clang");
  const auto put = [&](const std::string& bytes) {
    std::ofstream(toolchain_ / "bin/new", std::ios::binary) << bytes;
    fs::permissions(toolchain_ / "bin/new", fs::perms::owner_all);
    fs::last_write_time(toolchain_ / "bin/new", time);
    fs::rename(toolchain_ / "bin/new", toolchain_ / "bin/clang");
  };
  // The other architecture's step ran before the change, and the host step after it.
  expect_refused([&] { put(other); }, {.device = 2, .host = 0, .probe = 1});
}

INSTANTIATE_TEST_SUITE_P(Compilers, TouchedStaleness, testing::ValuesIn(kOneCompiler), name_of);

// A header of an opaque compile, by gcc as well.
class TouchedHeader : public OpaqueCompile, public testing::TestWithParam<const char*> {
 protected:
  TouchedHeader() {
    project_.write("gate.h", "");
    project_.write("value.h", kValue);
    project_.write("a.cpp", "#include \"value.h\"\n#include \"gate.h\"\nint a = VALUE;\n");
    project_.write("b.cpp", "#include \"value.h\"\nint b = VALUE;\n");
    await_settled(project_ / "b.cpp");
  }

  Arguments command(const std::string& name = "a") const {
    return {GetParam(), "-c", name + ".cpp", "-o", name + ".o"};
  }
  std::string header() const { return project_ / "value.h"; }
  // The change happens after the header was read and before the compiler ends.
  std::map<std::string, std::int64_t> not_stored_after(const std::function<void()>& change) {
    hold_at_gate(cache_, project_.path(), command(), change);
    return cache_.counts().not_stored;
  }
  static std::map<std::string, std::int64_t> input_changed() { return {{"input-changed", 1}}; }
};

TEST_P(TouchedHeader, AHardLinkToAHeaderThatAnotherUnitHasReadLosesNoCompile) {
  check(command("b"));
  EXPECT_TRUE(not_stored_after([&] { link_once_more(header()); }).empty());
  expect_hit(command());
}

TEST_P(TouchedHeader, AHeaderUnpackedOnceMoreLosesNoCompile) {
  check(command("b"));
  const Package package(project_.path(), "value.h");
  EXPECT_TRUE(not_stored_after([&] { package.unpack(); }).empty());
  expect_hit(command());
}

// Nobody read the header before, so its content at the time of reading is unknown.
TEST_P(TouchedHeader, AHardLinkToAHeaderThatNobodyHadReadBeforeIsRefused) {
  EXPECT_EQ(not_stored_after([&] { link_once_more(header()); }), input_changed());
  expect_run(command());
  expect_hit(command());
}

TEST_P(TouchedHeader, AnEditBehindTheOldSizeAndTimeIsRefused) {
  check(command("b"));
  const auto edit = [&] {
    link_once_more(header());
    write_keeping_time(header(), kOtherValue);
  };
  EXPECT_EQ(not_stored_after(edit), input_changed());
  expect_run(command());
  expect_hit(command());
}

TEST_P(TouchedHeader, AnEditThatIsTakenBackAfterItWasReadIsRefused) {
  check(command("b"));
  write_keeping_time(header(), kOtherValue);
  EXPECT_EQ(not_stored_after([&] { write_keeping_time(header(), kValue); }), input_changed());
  expect_run(command());
  expect_hit(command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, TouchedHeader, testing::Values("clang++-19", "g++"), [](const auto& one) {
  std::string name;
  for (const char c : std::string(one.param))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
});

}  // namespace
}  // namespace hipcache::integration
