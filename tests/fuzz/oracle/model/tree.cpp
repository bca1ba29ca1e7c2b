#include "fuzz/oracle/model/tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hipcache/base/files.h"

namespace hipcache::fuzz {
namespace {

namespace fs = std::filesystem;

bool is_output(const std::string& name) {
  static const std::array<std::string_view, 4> kEndings{".o", ".d", ".s", ".dwo"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view end) { return name.ends_with(end); });
}
bool is_unrelated(const std::string& name) { return base_name(name).starts_with("unrelated"); }

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Entry entry_of(const fs::directory_entry& entry) {
  if (entry.is_symlink()) return {Entry::Kind::link, fs::read_symlink(entry.path()).string()};
  if (entry.is_directory()) return {Entry::Kind::directory, ""};
  return {Entry::Kind::file, read(entry.path())};
}

// By a link; so does one that leads nowhere, for all that is known.
bool leads_outside(const fs::path& path, const std::string& root) {
  std::error_code problem;
  const fs::path real = fs::weakly_canonical(path, problem);
  return problem || !is_within(real.string(), root);
}

void set_time(const std::string& path, const timespec& time) {
  const timespec times[] = {time, time};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

// Whether they are one file, and whether of one time.
void add_twins(Hasher& hasher, const std::string& left, const std::string& right) {
  struct stat one{};
  struct stat other{};
  if (stat(left.c_str(), &one) != 0 || stat(right.c_str(), &other) != 0) return;
  const bool same_time = one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
  hasher.field(one.st_ino == other.st_ino ? 1 : 0).field(same_time ? 1 : 0);
}

}  // namespace

Snapshot Tree::snapshot() const {
  Snapshot all;
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    const std::string name = entry.path().lexically_relative(root_);
    if (!is_output(name)) all[name] = entry_of(entry);
  }
  return all;
}

std::vector<std::string> Tree::names(Entry::Kind kind) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : snapshot())
    if (entry.kind == kind) names.push_back(name);
  return names;
}

std::string Tree::text(const std::string& name) const { return read(*this / name); }

bool Tree::has(const std::string& name) const { return fs::exists(fs::symlink_status(*this / name)); }

void Tree::write(const std::string& name, const std::string& text, const Writing& how) const {
  const std::string path = *this / name;
  fs::create_directories(fs::path(path).parent_path());
  struct stat before{};
  const bool known = stat(path.c_str(), &before) == 0;
  const bool by_rename = how.by_rename || leads_outside(path, root_);
  const std::string written = by_rename ? path + ".new" : path;
  std::ofstream(written, std::ios::binary | std::ios::trunc) << text;
  if (how.keeps_time && known) set_time(written, before.st_mtim);
  if (by_rename) fs::rename(written, path);
}

void Tree::link(const std::string& name, const std::string& target) const {
  remove(name);
  fs::create_directories(fs::path(*this / name).parent_path());
  fs::create_symlink(target, *this / name);
}

void Tree::hard_link(const std::string& name, const std::string& existing) const {
  remove(name);
  fs::create_directories(fs::path(*this / name).parent_path());
  fs::create_hard_link(*this / existing, *this / name);
}

void Tree::move(const std::string& from, const std::string& to) const {
  remove(to);
  fs::create_directories(fs::path(*this / to).parent_path());
  fs::rename(*this / from, *this / to);
}

void Tree::remove(const std::string& name) const { fs::remove_all(*this / name); }

void Tree::touch(const std::string& name, bool to_the_past) const {
  set_time(*this / name, to_the_past ? timespec{1'000'000'000, 0} : timespec{0, UTIME_NOW});
}

void Tree::restore(const Snapshot& wanted, const Writing& how) const {
  const Snapshot present = snapshot();
  for (auto entry = present.rbegin(); entry != present.rend(); ++entry) {
    const auto kept = wanted.find(entry->first);
    if (kept == wanted.end() || kept->second.kind != entry->second.kind) remove(entry->first);
  }
  for (const auto& [name, entry] : wanted) {
    const auto old = present.find(name);
    if (old != present.end() && old->second == entry) continue;
    if (entry.kind == Entry::Kind::directory) fs::create_directories(*this / name);
    if (entry.kind == Entry::Kind::file) write(name, entry.text, how);
    if (entry.kind == Entry::Kind::link) link(name, entry.text);
  }
}

void Tree::remove_outputs() const {
  std::vector<fs::path> outputs;
  for (const auto& entry : fs::recursive_directory_iterator(root_))
    if (is_output(entry.path())) outputs.push_back(entry.path());
  for (const fs::path& output : outputs) fs::remove(output);
}

Digest Tree::state() const {
  Hasher hasher("tree");
  std::map<std::string, std::vector<std::string>> paths_of;
  for (const auto& [name, entry] : snapshot()) {
    if (is_unrelated(name)) continue;
    hasher.field(name).field(static_cast<std::uint64_t>(entry.kind)).field(entry.text);
    if (entry.kind == Entry::Kind::file) paths_of[entry.text].push_back(*this / name);
  }
  for (const auto& [text, paths] : paths_of)
    for (std::size_t i = 0; i < paths.size(); ++i)
      for (std::size_t j = i + 1; j < paths.size(); ++j) add_twins(hasher, paths[i], paths[j]);
  return hasher.finish();
}

}  // namespace hipcache::fuzz
