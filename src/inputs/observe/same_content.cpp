#include "inputs/observe/same_content.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "hipcache/base/reason.h"
#include "hipcache/trace/seen.h"
#include "inputs/loader/loader_cache.h"
#include "inputs/observe/links.h"
#include "inputs/observe/loader.h"
#include "inputs/observe/race_guard.h"
#include "inputs/state/file_system_memo.h"

namespace hipcache::inputs {

namespace {

using trace::Kind;
using trace::Record;

bool is_as_seen(const Record& record, const std::string& path, std::uint64_t started_ns, const Seen& seen,
                RealPaths& real_paths) {
  const auto now = seen.find(path);
  const Verdict verdict = now == seen.end() ? Verdict::unclear : compare(record, *now->second);
  if (verdict != Verdict::unclear) return verdict == Verdict::agrees;
  return !contradicts_file_system(record, path, started_ns) && is_what_was_seen(record, path, real_paths);
}

// Whether the process got the present content, although the file was replaced or is in another state.
bool is_same(SameContent& same, const Record& record, const std::string& path, std::uint64_t started_ns) {
  if (contradicts_file_system(record, path, started_ns)) return false;
  if (record.kind == Kind::look) return same.of_look(record, path);
  const bool opened = record.kind == Kind::open_read || record.kind == Kind::library || record.kind == Kind::program;
  return opened && same.of_file(path);
}

// The run may have read what was mounted there before: another image with the same device, inodes and times.
std::optional<Refusal> on_new_mount(const SharedStatSnapshot& snapshot, std::uint64_t started_ns, Mounts& mounts) {
  if (!mounts.changed_since(started_ns)) return std::nullopt;
  std::string path =
      snapshot.first_with([&](const Stamp& stamp) { return mounts.may_be_made_since(stamp, started_ns); });
  return path.empty() ? std::nullopt : std::optional(Refusal{Reason::input_changed, std::move(path)});
}

}  // namespace

std::optional<Refusal> guard(const std::vector<SameContent::CountedPath>& paths, const PathSet& set,
                             std::uint64_t started_ns, const RunContext& from, const SharedStatSnapshot& snapshot,
                             FileSystemState& file_system) {
  const Seen seen = snapshot.settled();
  RealPaths real_paths;
  SameContent same(paths, snapshot, file_system, started_ns);
  for (const SameContent::CountedPath& one : paths) {
    Record counted = *one.record;
    if (counted.kind == Kind::library) counted.found = true;
    if (!is_as_seen(counted, one.path, started_ns, seen, real_paths) && !is_same(same, counted, one.path, started_ns))
      return Refusal{Reason::input_changed, counted.text};
  }
  if (auto refusal = on_new_mount(snapshot, started_ns, file_system.memo().mounts)) return refusal;
  if (auto refusal = changed_alias(from.roots, started_ns)) return refusal;
  const std::shared_ptr<const LoaderCache> before = file_system.memo().loader_cache.as_of(started_ns);
  if (is_cache_changed(set, started_ns, before.get(), snapshot.loader_cache.get()))
    return Refusal{Reason::input_changed, kLoaderCacheFile};
  const auto is_excused = [&same](Question question, const std::string& path) {
    return asks_about_content(question) ? same.of_file(path) : question == Question::link && same.of_links();
  };
  return changed_since(set, from, started_ns, seen, is_excused);
}

namespace {

using trace::Kind;
using Identity = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

struct IdentityHash {
  std::size_t operator()(const Identity& one) const noexcept { return one.second * 0x9e3779b97f4a7c15 ^ one.first; }
};

using IdentityMap = std::unordered_map<Identity, Identity, IdentityHash>;

Identity identity_of(const Stamp& stamp) { return {stamp.device, stamp.inode}; }

bool opens(Kind kind) { return kind == Kind::open_read || kind == Kind::library || kind == Kind::program; }

bool changes_show(const trace::Record& record) {
  return record.kind == Kind::open_read && record.found && !record.may_change_unseen;
}

std::uint64_t seen_file(const Stamp& stamp) { return trace::seen_file(status_of(stamp, S_IFREG)); }
std::uint64_t seen_entry(const Stamp& stamp) { return trace::seen_entry(status_of(stamp, S_IFREG)); }

std::optional<Stamp> stamp_of_file(const std::string& path, Mounts& mounts) {
  FileStatus status;
  if (mounts.look(AT_FDCWD, path.c_str(), 0, status) != 0 || !S_ISREG(status.mode)) return std::nullopt;
  return status.stamp;
}

// False if `from` already stands for something else.
bool stands_for(IdentityMap& map, const Identity& from, const Identity& to) {
  return map.try_emplace(from, to).first->second == to;
}

}  // namespace

void SameContent::build() {
  if (std::exchange(built_, true)) return;
  now_ = snapshot_.contents();
  for (const CountedPath& one : counted_)
    if (opens(one.record->kind) && (one.record->found || one.record->kind == Kind::library))
      opened_[one.path].push_back({one.record->kind, one.record->seen, changes_show(*one.record)});
  remember_known_states();
  compare_identities();
}

void SameContent::remember_known_states() {
  for (const KnownFile& known : file_system_.known_files()) {
    if (known.stamp.size > 0) entries_.insert(seen_entry(known.stamp));
    states_.emplace(seen_file(known.stamp), known);
  }
}

// Compilers recognise two names of one file (#pragma once) by device and inode, and the state holds the present ones.
// If files were replaced, two names must be one file now exactly if they were one file when they were opened.
void SameContent::compare_identities() {
  IdentityMap now_by_got;
  IdentityMap got_by_now;
  for (const auto& [path, all] : opened_) {
    const auto now = now_.find(path);
    if (now == now_.end()) continue;
    const Identity is = identity_of(now->second.stamp);
    for (const Opened& opened : all) {
      if (opened.kind != Kind::open_read) continue;
      const auto state = states_.find(opened.seen);
      const bool is_replaced = opened.seen != seen_file(now->second.stamp) && state != states_.end();
      const Identity was = is_replaced ? identity_of(state->second.stamp) : is;
      if (!stands_for(now_by_got, was, is) || !stands_for(got_by_now, is, was)) identities_agree_ = false;
    }
  }
}

bool SameContent::is_older_than_run(const Stamp& stamp) const { return !at_or_after(stamp.mtime_ns, started_ns_); }

// gcc compares modification times of names with equal content, so the time must be equal too.
bool SameContent::is_same(const Opened& opened, const std::string& path, const FileDigest& now) const {
  if (now.stamp.proves_nothing && opened.kind == Kind::open_read) return trace::seen_with_content(path) == opened.seen;
  if (opened.seen == seen_file(now.stamp)) return opened.changes_show || is_older_than_run(now.stamp);
  const auto state = states_.find(opened.seen);
  if (opened.seen == 0 || state == states_.end()) return false;
  const Stamp& was = state->second.stamp;
  return state->second.digest == now.digest && was.device == now.stamp.device && was.size == now.stamp.size &&
         was.mtime_ns == now.stamp.mtime_ns && is_older_than_run(now.stamp);
}

// A program has a record under the name of its file, and none under a link by which it was run.
bool SameContent::runs_by_another_name(const FileDigest& now) const {
  return std::any_of(opened_.begin(), opened_.end(), [&](const auto& entry) {
    const auto& [path, all] = entry;
    const auto other = now_.find(path);
    if (other == now_.end() || other->second.stamp != now.stamp) return false;
    return std::all_of(all.begin(), all.end(), [&](const Opened& opened) {
      return opened.kind == Kind::program && is_same(opened, std::string(path), other->second);
    });
  });
}

bool SameContent::of_file(const std::string& path) {
  build();
  const auto now = now_.find(path);
  if (!identities_agree_ || now == now_.end() || stamp_of_file(path, file_system_.memo().mounts) != now->second.stamp)
    return false;
  const auto opened = opened_.find(path);
  if (opened == opened_.end()) return runs_by_another_name(now->second);
  return std::all_of(opened->second.begin(), opened->second.end(),
                     [&](const Opened& one) { return is_same(one, path, now->second); });
}

bool SameContent::of_look(const trace::Record& record, const std::string& path) {
  if (record.kind != Kind::look || !record.found) return false;
  const std::optional<Stamp> now = stamp_of_file(path, file_system_.memo().mounts);
  if (!now || now->size == 0) return false;
  build();
  return entries_.contains(record.seen);
}

// Paths that were opened, listed, resolved or looked at by stat were compared by identity. A look that only says
// "there" (access) must be one that succeeds for everything there now. A path that was absent is absent now too, or the
// guard has refused already.
bool SameContent::of_links() {
  return std::all_of(counted_.begin(), counted_.end(), [&](const CountedPath& one) {
    if (!one.record->found || one.record->seen != 0) return true;
    return one.record->kind == Kind::look && (::access(one.path.c_str(), R_OK | X_OK) == 0 || was_identified(one.path));
  });
}

bool SameContent::was_identified(const std::string& path) const {
  return std::any_of(counted_.begin(), counted_.end(), [&](const CountedPath& one) {
    return one.path == path && one.record->found && one.record->seen != 0;
  });
}

}  // namespace hipcache::inputs
