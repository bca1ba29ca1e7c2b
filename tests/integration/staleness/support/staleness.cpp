#include "integration/staleness/support/staleness.h"

#include <sys/stat.h>
#include <time.h>

#include <filesystem>

#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBitcode = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
constexpr const char* kLargest = "opencl.bc";  // the largest; must exist, but is not read for HIP
const std::string kDevice = "device ";

Steps steps_of(const Counts& counts) {
  Steps steps{.device = counts.run.at("device"),
              .bundle = counts.run.at("bundle"),
              .host = counts.run.at("host"),
              .probe = counts.run.at("probe")};
  for (const auto& [name, count] : counts.run)
    if (steps.device == 1 && count == 1 && name.starts_with(kDevice)) steps.arch = name.substr(kDevice.size());
  return steps;
}

void expect_hit_counted(const Counts& counted) {
  EXPECT_EQ(counted.hits, 1);
  EXPECT_EQ(steps_of(counted), Steps{});
}

}  // namespace

void PrintTo(const Steps& steps, std::ostream* out) {
  *out << steps.device << " device" << (steps.arch.empty() ? "" : " (" + steps.arch + ")") << ", " << steps.bundle
       << " bundle, " << steps.host << " host, " << steps.probe << " probe";
}

void await_settled(const std::string& path) {
  EXPECT_TRUE(support::comes_true([&] {
    struct stat status = {};
    timespec now = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now.tv_sec > status.st_ctim.tv_sec + 3;
  }));
}

void Staleness::warm(const Arguments& argv, const Variables& variables) {
  EXPECT_EQ(check(argv, variables).hits, 0);
  expect_hit_counted(oracle_.check_again());
}

void Staleness::expect_hit(const Arguments& argv, const Variables& variables) {
  expect_hit_counted(check(argv, variables));
}

void Staleness::expect_runs(const Steps& steps, const Arguments& argv, const Variables& variables) {
  const Counts counted = check(argv, variables);
  // The driver may run although every other step is found, and so may the bundler.
  EXPECT_EQ(counted.hits, steps.device + steps.host == 0 ? 1 : 0);
  Steps expected = steps;
  Steps ran = steps_of(counted);
  if (expected.arch.empty()) ran.arch.clear();
  EXPECT_EQ(ran, expected);
}

void Staleness::expect_passed(const std::string& reason, const Arguments& argv, const Variables& variables) {
  for (int time = 0; time < 2; ++time) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(counted.passed, 1);
    EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.dump();
  }
}

void Staleness::rewrite_unnoticed(const std::string& name, const std::string& text) const {
  const fs::path path = project_ / name;
  ASSERT_EQ(fs::file_size(path), text.size());
  const auto time = fs::last_write_time(path);
  project_.write(name, text);
  fs::last_write_time(path, time);
}

std::string Staleness::copy_bitcode(const std::string& name) const {
  project_.make_directory(name);
  for (const auto& entry : fs::directory_iterator(kBitcode)) {
    const fs::path copy = fs::path(project_ / name) / entry.path().filename();
    if (entry.path().filename() == kLargest)
      fs::create_symlink(entry.path(), copy);
    else
      fs::copy_file(entry.path(), copy);
  }
  return project_ / name;
}

Arguments Staleness::with_bitcode(const std::string& directory, const std::string& flags) const {
  Arguments argv = command(flags);
  for (std::string& argument : argv)
    if (argument.starts_with("--rocm-device-lib-path=")) argument = "--rocm-device-lib-path=" + directory;
  return argv;
}

Arguments Staleness::without(Arguments argv, const std::string& start) {
  std::erase_if(argv, [&](const std::string& argument) { return argument.starts_with(start); });
  return argv;
}

}  // namespace hipcache::integration
