#include "inputs/answers/library_search.h"

#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/inputs/frames.h"
#include "inputs/loader/library_path.h"
#include "inputs/loader/loader_cache.h"
#include "inputs/state/digests.h"

namespace hipcache::inputs {
namespace {

constexpr const char* kVariable = "LD_LIBRARY_PATH";

}  // namespace

LibrarySearch::LibrarySearch(const RunContext& from, FileSystemMemo& memo, std::uint64_t now_ns, Effort& effort)
    : from_(from), memo_(memo), now_ns_(now_ns), effort_(effort) {
  read_cache();
  const char* value = from.variable(kVariable);
  if (value == nullptr || *value == '\0') return;
  if (std::string_view(value).find('$') != std::string_view::npos) unclear_ += from.roots.portable_list(value);
  for (const std::string& directory : directories_in(value, "")) take_directory(directory);
}

// If the cache cannot be parsed, `unclear_` holds its content's digest, or that it is absent or unreadable.
void LibrarySearch::read_cache() {
  const PathStat seen = stat_path(kLoaderCacheFile, memo_.mounts, effort_);
  const std::optional<FileDigest> file =
      seen.is_file() ? digest_file(kLoaderCacheFile, seen, now_ns_, memo_, effort_) : std::nullopt;
  if (file) cache_ = memo_.loader_cache.of(file->digest, file->stamp.ctime_ns, now_ns_);
  if (file && cache_ == nullptr) unclear_ += file->digest.hex();
  if (!file) unclear_ += seen.kind == PathStat::Kind::absent ? "no cache" : "a cache that cannot be read";
}

void LibrarySearch::take_directory(const std::string& directory) {
  const auto is_there = [&](const std::string& path) {
    return stat_path(join_path(from_.working_directory, path).c_str(), memo_.mounts, effort_).is_directory();
  };
  if (!is_there(directory)) return;
  for (std::string_view level : kHwcapsLevels) {
    std::string preferred = directory + "/glibc-hwcaps/" + std::string(level);
    if (is_there(preferred)) directories_.push_back(std::move(preferred));
  }
  for (std::string_view old : kOldPreferred)
    if (is_there(directory + "/" + std::string(old))) unclear_ += from_.roots.portable_path(directory) + "\n";
  directories_.push_back(directory);
}

std::string LibrarySearch::places_of(const std::string& name) {
  FrameWriter text;
  text.text(unclear_);
  for (const std::string& directory : directories_) {
    const std::string path = join_path(from_.working_directory, join_path(directory, name));
    const PathStat seen = stat_path(path.c_str(), memo_.mounts, effort_);
    if (seen.kind == PathStat::Kind::absent) continue;
    const std::optional<FileDigest> file =
        seen.is_file() ? digest_file(path, seen, now_ns_, memo_, effort_) : std::nullopt;
    text.text(from_.roots.portable_path(path)).text(file ? file->digest.hex() : "");
  }
  text.text("").text(cache_ != nullptr ? cache_->entries_of(name) : std::string_view());
  return std::move(text).bytes();
}

}  // namespace hipcache::inputs
