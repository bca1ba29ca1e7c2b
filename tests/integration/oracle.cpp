#include "integration/oracle.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

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

using Differences = std::vector<std::string>;

void compare_files(const Files& cached, const Files& alone, Differences& differences) {
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
}

void compare_texts(const std::string& what, const std::string& cached, const std::string& alone,
                   Differences& differences) {
  if (cached == alone) return;
  differences.push_back(what + " differs; by hipcache:\n" + cached + "by the compiler:\n" + alone);
}

void compare_ends(const Ended& cached, const Ended& alone, Differences& differences) {
  compare_texts("exit code", std::to_string(cached.exit_code) + "\n", std::to_string(alone.exit_code) + "\n",
                differences);
  compare_texts("standard error", cached.err, alone.err, differences);
  compare_texts("standard output", cached.out, alone.out, differences);
}

std::vector<Ended> run_at_once(const Cache& cache, const std::vector<Request>& requests) {
  std::vector<Started> started;
  for (const Request& request : requests)
    started.push_back(cache.start(request.command, request.directory, request.variables));
  std::vector<Ended> ended;
  for (Started& running : started) ended.push_back(running.wait());
  return ended;
}

}  // namespace

Request Oracle::with_cuid(const Request& request) const {
  const std::string cuid = cache_.plan(request.command, request.directory, request.variables).value("cuid", "");
  Request fixed = request;
  if (!cuid.empty()) fixed.command.push_back("-cuid=" + cuid);
  return fixed;
}

Comparison Oracle::compare(const std::vector<Request>& at_once) const {
  const Files start = files_in(directory_);
  const Counts before = cache_.counts();
  const std::vector<Ended> cached = run_at_once(cache_, at_once);
  Comparison comparison{.counted = cache_.counts() - before, .exit_codes = {}, .differences = {}};
  const Files by_cache = files_in(directory_);
  restore(directory_, start, by_cache);

  for (std::size_t i = 0; i < at_once.size(); ++i) {
    const Request fixed = with_cuid(at_once[i]);
    compare_ends(cached[i], run(fixed.command, fixed.directory, fixed.variables), comparison.differences);
    comparison.exit_codes.push_back(cached[i].exit_code);
  }
  compare_files(changes(start, by_cache), changes(start, files_in(directory_)), comparison.differences);
  return comparison;
}

Counts Oracle::check(const Arguments& command, const Variables& variables) {
  const Comparison comparison = compare({{command, directory_, variables}});
  for (const std::string& difference : comparison.differences) ADD_FAILURE() << difference;
  exit_code_ = comparison.exit_codes.front();
  return comparison.counted;
}

}  // namespace hipcache::integration
