#include "support/scratch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/file_clock.h"

namespace hipcache::support {
namespace fs = std::filesystem;

Scratch::Scratch() {
  // Resolved, so that a test's paths equal what realpath and getcwd return.
  std::string pattern = (fs::canonical(fs::temp_directory_path()) / "hipcache-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "cannot make " << pattern;
  path_ = pattern;
}

Scratch::~Scratch() {
  if (kept_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scratch::write(std::string_view name, std::string_view bytes) const {
  const fs::path path = fs::path(path_) / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_TRUE(fs::exists(path)) << path;
  await_next_tick();
  return path.string();
}

std::string Scratch::make_directory(std::string_view name) const {
  const fs::path path = fs::path(path_) / name;
  fs::create_directories(path);
  await_next_tick();
  return path.string();
}

std::string Scratch::link(std::string_view name, std::string_view target) const {
  const fs::path path = fs::path(path_) / name;
  fs::create_directories(path.parent_path());
  fs::remove(path);
  fs::create_symlink(target, path);
  await_next_tick();
  return path.string();
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

}  // namespace hipcache::support
