#include "daemon/execute/local_trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/trace/seen.h"

namespace hipcache::daemon {
namespace {

using namespace std::string_view_literals;
using trace::Kind;
using trace::Record;

// Set by hipcache itself, or left out of what a process asks.
constexpr auto kOwnVariables =
    std::to_array({"TMPDIR"sv, "LD_PRELOAD"sv, "HIPCACHE_TRACE"sv, "HIPCACHE_TRACE_CONTENTS"sv, "GLIBC_TUNABLES"sv});

// Which file a record's identity means, there and here. They must agree in both directions: two files there are two
// here.
class Identities {
 public:
  bool agree(std::uint64_t there, const struct stat& here) {
    const std::pair<std::uint64_t, std::uint64_t> file{here.st_dev, here.st_ino};
    return there_.try_emplace(there, file).first->second == file &&
           here_.try_emplace(file, there).first->second == there;
  }

 private:
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> there_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> here_;
};

bool is_since(const timespec& time, std::uint64_t started_ns) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec) >=
         started_ns;
}

class Localiser {
 public:
  Localiser(const std::vector<Record>& remote, const ThisMachine& here, const std::set<std::string>& sent,
            std::uint64_t started_ns)
      : from_(here.from), here_(here), sent_(sent), started_ns_(started_ns) {
    for (const Record& record : remote)
      if (record.kind == Kind::content) (record.found ? contents_ : programs_)[record.text] = record.seen;
  }

  std::optional<Unproved> localise(Record& record) {
    const std::string path = join_path(from_.working_directory, record.text);
    switch (record.kind) {
      case Kind::program:
      case Kind::library:
        return take_mapped(record, path);
      case Kind::open_read:
        return is_left_alone(path) ? std::nullopt : take_opened(record, path);
      case Kind::look:
        return is_left_alone(path) ? std::nullopt : take_look(record, path);
      case Kind::variable:
        return take_variable(record);
      case Kind::open_write:  // judged by where it is
      case Kind::link:        // compared by the race guard: their digests mean the same everywhere
      case Kind::real_path:
      case Kind::end:
        return std::nullopt;
      case Kind::list:
        if (!record.found) return absent(path);
        return Unproved{"lists-a-directory", record.text};
      default:
        return Unproved{"asks-what-is-not-compared", record.text};
    }
  }

 private:
  // The step's own files, and what no compile depends on (src/inputs/rules/path_class.cpp).
  bool is_left_alone(const std::string& path) const {
    return is_within(path, here_.directory) || path == "/dev/null" || path == "/proc/self/exe";
  }

  static std::optional<Unproved> absent(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return Unproved{"absent-there", path};
  }

  std::optional<Unproved> take_mapped(Record& record, const std::string& path) {
    const auto there = programs_.find(record.text);
    const std::optional<std::uint64_t> here = trace::content_of_program(path);
    struct stat status{};
    if (!here || ::stat(path.c_str(), &status) != 0) return Unproved{"absent-here", path};
    if (there == programs_.end() || there->second != *here) return Unproved{"other-toolchain", path};
    record.seen = trace::seen_file(status);
    return std::nullopt;
  }

  std::optional<Unproved> take_opened(Record& record, const std::string& path) {
    if (!record.found) return absent(path);
    struct stat status{};
    const std::optional<std::string> resolved = resolved_path(path);
    if (!resolved || ::stat(path.c_str(), &status) != 0) return Unproved{"absent-here", path};
    if (!S_ISREG(status.st_mode)) return Unproved{"no-file-here", path};
    const auto there = contents_.find(*resolved);
    if (there == contents_.end()) return Unproved{"leads-elsewhere", path};
    if (here_.contents.of(path, here_.file_system) != there->second) return Unproved{"other-content", path};
    if (!files_.agree(record.seen, status)) return Unproved{"other-identity", path};
    record.seen = trace::seen_file(status);
    record.may_change_unseen = is_since(status.st_ctim, started_ns_);
    return std::nullopt;
  }

  // The record does not say whether stat or lstat looked.
  std::optional<Unproved> take_look(Record& record, const std::string& path) {
    if (!record.found) return absent(path);
    struct stat status{};
    if (record.seen == 0)
      return access(path.c_str(), F_OK) == 0 ? std::nullopt : std::optional(Unproved{"absent-here", path});
    const trace::EntryKind there = trace::kind_in(record.seen);
    const bool is_link = there == trace::EntryKind::link;
    if ((is_link ? ::lstat(path.c_str(), &status) : ::stat(path.c_str(), &status)) != 0)
      return Unproved{"absent-here", path};
    if (trace::kind_of(status) != there) return Unproved{"other-kind", path};
    if (!is_link && !entries_.agree(trace::identity_in(record.seen), status)) return Unproved{"other-identity", path};
    record.seen = trace::seen_entry(status);
    return std::nullopt;
  }

  std::optional<Unproved> take_variable(const Record& record) const {
    if (holds(kOwnVariables, std::string_view(record.text))) return std::nullopt;
    const bool is_as_here = record.found ? sent_.contains(record.text) : from_.variable(record.text) == nullptr;
    if (is_as_here) return std::nullopt;
    return Unproved{"variable-not-sent", record.text};
  }

  const inputs::RunContext& from_;
  const ThisMachine& here_;
  const std::set<std::string>& sent_;
  const std::uint64_t started_ns_;
  std::map<std::string, std::uint64_t> contents_, programs_;  // by path
  Identities files_, entries_;                                // opened; looked at
};

}  // namespace

// A file that changes while it is read is not remembered.
std::optional<std::uint64_t> KnownContents::of(const std::string& path, inputs::FileSystemState& file_system) {
  const Result<Digest> before = file_system.content(path);
  if (before)
    if (const std::optional<std::uint64_t> known = known_.find(*before)) return known;
  const std::optional<std::uint64_t> content = trace::content_of(path);
  const Result<Digest> after = before ? file_system.content(path) : before;
  if (content && after && *after == *before) known_.add(*before, *content);
  return content;
}

std::variant<std::vector<Record>, Unproved> local_trace(const std::vector<Record>& remote, const ThisMachine& here,
                                                        const std::set<std::string>& sent, std::uint64_t started_ns) {
  Localiser localiser(remote, here, sent, started_ns);
  std::vector<Record> local;
  for (const Record& record : remote) {
    if (record.kind == Kind::content) continue;
    local.push_back(record);
    if (std::optional<Unproved> unproved = localiser.localise(local.back())) return *std::move(unproved);
  }
  return local;
}

}  // namespace hipcache::daemon
