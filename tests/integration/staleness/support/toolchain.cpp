#include "integration/staleness/support/toolchain.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const fs::path kLibraries = "/usr/lib/x86_64-linux-gnu";

bool is_own_library(const std::string& name) { return name.starts_with("libclang-cpp") || name.starts_with("libLLVM"); }

}  // namespace

Toolchain::Toolchain(const Compiler& compiler) {
  const fs::path installed = fs::path(compiler.tools()).parent_path();
  scratch_.make_directory("bin");
  fs::copy_file(installed / "bin/clang", scratch_ / "bin/clang");
  scratch_.link("bin/clang++", "clang");
  for (const char* tool : {"bin/lld", "bin/clang-offload-bundler"}) scratch_.link(tool, (installed / tool).string());
  for (const auto& entry : fs::directory_iterator(installed / "lib"))
    if (is_own_library(entry.path().filename()))
      scratch_.link("lib/" + entry.path().filename().string(), entry.path().string());
  for (const auto& entry : fs::directory_iterator(installed / "lib/clang"))
    scratch_.link("lib/clang/" + entry.path().filename().string(), entry.path().string());
}

Arguments Toolchain::compile_by(const std::string& driver, const std::string& flags) {
  return Arguments{driver} +
         words(
             "-x hip -std=c++17 -nogpuinc --rocm-path=/usr "
             "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode") +
         archs({"gfx906", "gfx1030"}) + words(flags + " -c a.hip -o a.o");
}

void Toolchain::copy(const std::string& name) const {
  const fs::path path = scratch_ / name;
  const fs::path original = fs::canonical(path);
  fs::remove(path);
  fs::copy_file(original, path);
}

void Toolchain::append_byte(const std::string& name) const {
  std::ofstream(scratch_ / name, std::ios::binary | std::ios::app) << '\0';
}

void Toolchain::change_last_byte(const std::string& name) const {
  const fs::path path = scratch_ / name;
  const auto time = fs::last_write_time(path);
  const auto size = fs::file_size(path);
  fs::resize_file(path, size - 1);
  std::ofstream(path, std::ios::binary | std::ios::app) << 'x';
  fs::last_write_time(path, time);
  ASSERT_EQ(fs::file_size(path), size);
}

std::string Toolchain::resource_directory() const {
  // Debian's clang 15 has two names for its directory; the driver uses the one with the full version.
  std::string longest;
  for (const auto& entry : fs::directory_iterator(scratch_ / "lib/clang"))
    longest = std::max(longest, entry.path().filename().string());
  return "lib/clang/" + longest;
}

void copy_library(const std::string& name, const std::string& directory) {
  fs::create_directories(directory);
  fs::copy_file(fs::canonical(kLibraries / name), fs::path(directory) / name);
}

}  // namespace hipcache::integration
