#include "integration/oracle.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

const std::string kLinkTo = "-> ";

std::string mode_of(const fs::path& path) {
  struct stat status{};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  char text[16] = {};
  std::snprintf(text, sizeof text, "%o ", status.st_mode);
  return text;
}

Files files_in(const std::string& directory) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().lexically_relative(directory);
    files[name] = mode_of(entry.path());
    if (entry.is_symlink()) {
      files[name] += kLinkTo + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      files[name] += support::read_bytes(entry.path());
    }
  }
  return files;
}

// What is in `after` and was not, or was otherwise, in `before`; what is gone is there with no text.
Files changes(const Files& before, const Files& after) {
  Files changed;
  for (const auto& [name, bytes] : after) {
    const auto old = before.find(name);
    if (old == before.end() || old->second != bytes) changed[name] = bytes;
  }
  for (const auto& [name, bytes] : before)
    if (!after.contains(name)) changed[name] = "";
  return changed;
}

void write_back(const fs::path& path, const std::string& described) {
  const std::string bytes = described.substr(described.find(' ') + 1);
  fs::remove(path);
  if (bytes.starts_with(kLinkTo)) return fs::create_symlink(bytes.substr(kLinkTo.size()), path);
  std::ofstream(path, std::ios::binary) << bytes;
}

// Brings the directory's files and links back to what they were; the ones that did not change keep their stamps.
void restore(const std::string& directory, const Files& before, const Files& after) {
  for (const auto& [name, described] : changes(before, after)) {
    const fs::path path = fs::path(directory) / name;
    const auto old = before.find(name);
    if (old != before.end()) {
      write_back(path, old->second);
    } else {
      fs::remove_all(path);
    }
  }
}

void expect_equal(const Files& cached, const Files& alone) {
  for (const auto& [name, bytes] : alone) {
    const auto other = cached.find(name);
    if (other == cached.end()) {
      ADD_FAILURE() << "hipcache did not write (or remove) " << name;
    } else if (other->second != bytes) {
      ADD_FAILURE() << name << " differs: " << other->second.size() << " bytes by hipcache, " << bytes.size()
                    << " by the compiler";
    }
  }
  for (const auto& [name, bytes] : cached)
    EXPECT_TRUE(alone.contains(name)) << "only hipcache wrote (or removed) " << name;
}

}  // namespace

std::string Oracle::cuid_of(const Arguments& command, const Variables& variables) const {
  return cache_.plan(command, directory_, variables).value("cuid", "");
}

Counts Oracle::check(const Arguments& command, const Variables& variables) {
  const Files start = files_in(directory_);
  const Counts before = cache_.counts();
  const Ended cached = cache_.run(command, directory_, variables);
  const Counts counted = cache_.counts() - before;
  const Files by_cache = files_in(directory_);
  restore(directory_, start, by_cache);

  const std::string cuid = cuid_of(command, variables);
  const Ended alone = run(cuid.empty() ? command : command + Arguments{"-cuid=" + cuid}, directory_, variables);
  const Files by_compiler = files_in(directory_);

  expect_equal(changes(start, by_cache), changes(start, by_compiler));
  EXPECT_EQ(cached.exit_code, alone.exit_code) << cached.err;
  EXPECT_EQ(cached.err, alone.err);
  EXPECT_EQ(cached.out, alone.out);
  exit_code_ = cached.exit_code;
  return counted;
}

}  // namespace hipcache::integration
