#include "integration/support/tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <utility>

#include "support/scratch.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const std::string kLinkTo = "-> ";
const std::string kSameFileAs = "== ";
constexpr unsigned kPermissions = 07777;

std::string describe(const fs::path& path, const struct stat& status) {
  char mode[16] = {};
  std::snprintf(mode, sizeof mode, "%o ", status.st_mode);
  if (S_ISLNK(status.st_mode)) return mode + kLinkTo + fs::read_symlink(path).string();
  return mode + (S_ISREG(status.st_mode) ? support::read_bytes(path) : "");
}

void write_back(const fs::path& directory, const std::string& name, const std::string& described) {
  const fs::path path = directory / name;
  fs::remove(path);
  if (described.starts_with(kSameFileAs))
    return fs::create_hard_link(directory / described.substr(kSameFileAs.size()), path);
  const std::string bytes = described.substr(described.find(' ') + 1);
  if (bytes.starts_with(kLinkTo)) return fs::create_symlink(bytes.substr(kLinkTo.size()), path);
  std::ofstream(path, std::ios::binary) << bytes;
  fs::permissions(path, static_cast<fs::perms>(std::stoul(described, nullptr, 8) & kPermissions));
}

void compare_texts(const std::string& what, const std::string& cached, const std::string& alone,
                   Differences& differences) {
  if (cached == alone) return;
  differences.push_back(what + " differs; by hipcache:\n" + cached + "by the compiler:\n" + alone);
}

// gcc's messages name temporary files, and each run gives them other names.
std::string without_temporary_names(const std::string& printed) {
  static const std::regex kTemporary(R"(/cc[A-Za-z0-9]{6}\.)");
  return printed.find("/cc") == printed.npos ? printed : std::regex_replace(printed, kTemporary, "/cc(temporary).");
}

}  // namespace

Files files_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    names.insert(entry.path().lexically_relative(directory));
  Files files;
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  for (const std::string& name : names) {
    const fs::path path = fs::path(directory) / name;
    struct stat status{};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    const auto [first, is_new] = seen.try_emplace({status.st_dev, status.st_ino}, name);
    files[name] = is_new ? describe(path, status) : kSameFileAs + first->second;
  }
  return files;
}

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

void restore(const std::string& directory, const Files& before, const Files& after) {
  const Files changed = changes(before, after);
  for (const auto& [name, described] : changed) {
    const fs::path path = fs::path(directory) / name;
    const auto old = before.find(name);
    if (old != before.end()) {
      write_back(directory, name, old->second);
    } else {
      fs::remove_all(path);
    }
  }
  for (const auto& [name, described] : before)
    if (described.starts_with(kSameFileAs) && changed.contains(described.substr(kSameFileAs.size())))
      write_back(directory, name, described);
}

Files expected_of_either(const Files& got, const Files& one, const Files& other) {
  Files expected = one;
  for (const auto& [name, bytes] : changes(one, other)) {
    const auto here = got.find(name);
    const bool is_there = here != got.end();
    const auto there = other.find(name);
    if (is_there != (there != other.end()) || (is_there && here->second != there->second)) continue;
    if (is_there) expected[name] = bytes;
    if (!is_there) expected.erase(name);
  }
  return expected;
}

void write_out(const std::string& directory, const Files& files) {
  for (const auto& [name, described] : files) {
    if (described.empty() || described.starts_with(kSameFileAs)) continue;
    const bool is_directory = S_ISDIR(std::stoul(described, nullptr, 8));
    fs::create_directories(is_directory ? fs::path(directory) / name : (fs::path(directory) / name).parent_path());
    if (!is_directory) write_back(directory, name, described);
  }
}

Differences differences_of(const Files& cached, const Files& alone) {
  Differences differences;
  for (const auto& [name, bytes] : alone) {
    const auto other = cached.find(name);
    if (other == cached.end()) {
      differences.push_back("hipcache did not write (or remove) " + name);
    } else if (other->second != bytes) {
      differences.push_back(name + " differs: " + std::to_string(other->second.size()) + " bytes by hipcache, " +
                            std::to_string(bytes.size()) + " by the compiler");
    }
  }
  for (const auto& [name, bytes] : cached)
    if (!alone.contains(name)) differences.push_back("only hipcache wrote (or removed) " + name);
  return differences;
}

Differences differences_of(const Ended& cached, const Ended& alone) {
  Differences differences;
  compare_texts("exit code", std::to_string(cached.exit_code) + "\n", std::to_string(alone.exit_code) + "\n",
                differences);
  compare_texts("standard error", without_temporary_names(cached.err), without_temporary_names(alone.err), differences);
  compare_texts("standard output", cached.out, alone.out, differences);
  return differences;
}

}  // namespace hipcache::integration
