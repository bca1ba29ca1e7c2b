#include "hipcache/inputs/written_outputs.h"

#include <sys/stat.h>

#include <map>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "inputs/observe/process_names.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {
namespace {

using trace::Change;
using trace::Kind;
using trace::Record;

struct Seen {
  bool read_first = false;  // opened for its content, or to keep it, before anything was written
  bool absent = false;      // looked for and not found, as after removing it to begin anew
  bool written = false;
  WrittenOutput file;
};

bool is(const Record& record, Change change) { return record.seen == static_cast<std::uint64_t>(change); }

// Processes the records in their order.
class Follower {
 public:
  Follower(const std::string& directory, const std::string& working_directory, const ReadAndWritten& accepted)
      : classifier_(directory),
        working_directory_(working_directory),
        process_names_(working_directory),
        updated_(spelled(accepted.updated)),
        replaced_(spelled(accepted.replaced)) {}

  void take_record(const Record& record) {
    const std::string just_opened = std::exchange(just_opened_, "");
    if (record.kind != Kind::open_read && record.kind != Kind::open_write && record.kind != Kind::look) return;
    const std::string path = normal_path(join_path(working_directory_, record.text));
    if (classifier_.of(path) != PathClass::input || is_sink(path)) return;
    Seen& seen = seen_[path];
    if (record.kind == Kind::open_read) {
      take_read(seen, record, path);
    } else if (record.kind == Kind::look) {
      seen.absent = seen.absent || !record.found;
    } else if (record.found) {
      if (path == replaced_ && path == just_opened && is(record, Change::other)) seen.read_first = false;
      take_write(seen, record, path);
    }
  }

  std::variant<std::vector<WrittenOutput>, Refusal> finish() {
    std::vector<WrittenOutput> files;
    for (auto& [path, seen] : seen_) {
      if (!seen.written) continue;
      if (seen.read_first && path != updated_) return Refusal{Reason::reads_own_output, path};
      if (process_names_.of(path, true).leads != ProcessNames::Leads::elsewhere)
        return Refusal{Reason::writes_elsewhere, path};
      struct stat status = {};
      seen.file.exists = ::lstat(path.c_str(), &status) == 0;
      if (seen.file.exists && !S_ISREG(status.st_mode)) return Refusal{Reason::writes_elsewhere, path};
      files.push_back(std::move(seen.file));
    }
    return files;
  }

 private:
  static std::string spelled(const std::string& path) { return path.empty() ? "" : normal_path(path); }

  // A record comes once per process. So a file that was also read as an input was opened well before its removal, not
  // immediately before.
  void take_read(Seen& seen, const Record& record, const std::string& path) {
    if (seen.written) return;
    if (!record.found && path == replaced_) {
      seen.absent = true;
      return;
    }
    if (!seen.read_first) just_opened_ = path;
    if (record.found && seen.file.read_as == 0) seen.file.read_as = record.seen;
    seen.read_first = true;
  }

  // A file is known by its last name.
  static void take_write(Seen& seen, const Record& record, const std::string& path) {
    const bool first = !std::exchange(seen.written, true);
    if (first || is(record, Change::moved_here)) seen.file.name = record.text;
    seen.file.path = path;
    if (!first) return;
    seen.file.opened = is(record, Change::opened) || is(record, Change::added_to);
    seen.read_first = seen.read_first || (is(record, Change::added_to) && !seen.absent);
  }

  const PathClassifier classifier_;
  const std::string& working_directory_;
  ProcessNames process_names_;
  const std::string updated_;
  const std::string replaced_;
  std::string just_opened_;           // path of the record before, if that was its first open
  std::map<std::string, Seen> seen_;  // by path
};

}  // namespace

std::variant<std::vector<WrittenOutput>, Refusal> written_files(const std::vector<Record>& records,
                                                                const std::string& directory,
                                                                const std::string& working_directory,
                                                                const ReadAndWritten& accepted) {
  Follower follower(directory, working_directory, accepted);
  for (const Record& record : records) follower.take_record(record);
  return follower.finish();
}

}  // namespace hipcache::inputs
