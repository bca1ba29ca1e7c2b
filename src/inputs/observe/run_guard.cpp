#include "inputs/observe/run_guard.h"

#include "inputs/loader/current_loader_cache.h"
#include "inputs/observe/loader.h"
#include "inputs/observe/race_guard.h"
#include "inputs/observe/real_paths.h"
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
std::string on_new_mount(const SharedStatSnapshot& snapshot, std::uint64_t started_ns, Mounts& mounts) {
  if (!mounts.changed_since(started_ns)) return "";
  return snapshot.first_with([&](const Stamp& stamp) { return mounts.may_be_made_since(stamp, started_ns); });
}

}  // namespace

std::optional<Refusal> guard(const std::vector<SameContent::Got>& got, const PathSet& set, const Run& run,
                             const RunContext& from, const SharedStatSnapshot& snapshot, FileSystemState& file_system) {
  const Seen seen = snapshot.settled();
  RealPaths real_paths;
  SameContent same(got, snapshot, file_system, run.started_ns);
  for (const SameContent::Got& one : got) {
    Record counted = *one.record;
    if (counted.kind == Kind::library) counted.found = true;
    if (!is_as_seen(counted, one.path, run.started_ns, seen, real_paths) &&
        !is_same(same, counted, one.path, run.started_ns))
      return Refusal{"input-changed", counted.text};
  }
  if (std::string path = on_new_mount(snapshot, run.started_ns, file_system.memo().mounts); !path.empty())
    return Refusal{"input-changed", path};
  if (std::optional<std::string> alias = changed_alias(from.roots, run.started_ns))
    return Refusal{"input-changed", *alias};
  const std::shared_ptr<const LoaderCache> before = file_system.memo().loader_cache.as_of(run.started_ns);
  if (is_cache_changed(set, run.started_ns, before.get(), snapshot.loader_cache.get()))
    return Refusal{"input-changed", kLoaderCacheFile};
  const auto is_excused = [&same](Question question, const std::string& path) {
    return asks_about_content(question) ? same.of_file(path) : question == Question::link && same.of_links();
  };
  if (std::optional<std::string> name = changed_since(set, from, run.started_ns, seen, is_excused))
    return Refusal{"input-changed", *name};
  return std::nullopt;
}

}  // namespace hipcache::inputs
