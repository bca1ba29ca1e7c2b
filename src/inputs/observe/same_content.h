// Whether a run got the content that is there now, although a file's stamp changed meanwhile.
//
// The problem: a hard link, a change of mode or a reinstalled package gives every file of a compiler a new ctime. All
// steps that are running then would not be recorded. The choice: compare contents. The trace says in which state each
// file was opened. If the world remembers a digest for that state, this is the content that the process got, unless
// somebody wrote into the opened file afterwards. There are four ways to pass:
//
// - A file passes if that digest, the size and the modification time equal those of the file that is there now.
//
// - A file that was opened in its present state passes if the clock was past its ctime by then, because all later
// changes show in its stamp. A header that was generated just before the compile is such a file. It also passes if its
// modification time is older than the run.
//
// - A file on a file system whose times prove nothing passes if the trace's digest of its content agrees.
//
// - A link passes by what was reached through it, because each of these paths is compared by itself.
//
// Rejected: comparing size and modification time alone if no digest is known for the opened state. A package may give
// all its files one time, so two versions of a file can agree in both. Such a file counts as changed: no earlier step
// read it, and it changed after this step opened it.
//
// Rejected: excusing changed listings. Unpacking removes an entry for a moment and sets the directory's time back.
//
// Besides the race guard's assumptions, this rests on one more. While one step runs, nobody changes an opened file,
// restores its first content (in place or under a new inode) and sets its modification time back.
//
// The tables are built at the first question, which is rare. Used by one thread.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_SAME_CONTENT_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_SAME_CONTENT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/state/stamp.h"
#include "inputs/state/stat_snapshot.h"

namespace hipcache::inputs {

class SameContent {
 public:
  struct CountedPath {
    const trace::Record* record;
    std::string path;  // absolute
  };

  // `counted`: every record of a path that counts. `snapshot`: what the run's state was made from. REQUIRES: the
  // records, `snapshot` and `file_system` outlive this object.
  SameContent(std::vector<CountedPath> counted, const SharedStatSnapshot& snapshot, FileSystemState& file_system,
              std::uint64_t started_ns)
      : counted_(std::move(counted)), snapshot_(snapshot), file_system_(file_system), started_ns_(started_ns) {}

  // For a file whose content counts: whether every process got the content that is there now.
  bool of_file(const std::string& path);

  // For a path that was only looked at: whether the process saw a file that was not empty, and such a file is there
  // now.
  bool of_look(const trace::Record& record, const std::string& path);

  // For a link that was replaced: whether everything that may have been reached through it is known to be unchanged.
  bool of_links();

 private:
  struct Opened {
    trace::Kind kind;
    std::uint64_t seen;
    bool changes_show;  // every later change shows in the file's stamp
  };

  void build();
  void remember_known_states();
  void compare_identities();
  bool is_older_than_run(const Stamp& stamp) const;
  bool is_same(const Opened& opened, const std::string& path, const FileDigest& now) const;
  bool runs_by_another_name(const FileDigest& now) const;
  bool was_identified(const std::string& path) const;

  std::vector<CountedPath> counted_;
  const SharedStatSnapshot& snapshot_;
  FileSystemState& file_system_;
  const std::uint64_t started_ns_;
  bool built_ = false;
  bool identities_agree_ = true;
  std::unordered_map<std::string_view, std::vector<Opened>> opened_;
  std::unordered_map<std::string_view, FileDigest> now_;
  std::unordered_map<std::uint64_t, KnownFile> states_;  // by the trace's digest of an opened state
  std::unordered_set<std::uint64_t> entries_;            // the trace's digests of looks
};

// The race guard over one whole run (docs/internals/proof.md, "The race guard").

// Why the run may have read something else than the state that `snapshot` was taken for. `paths`: what it got at each
// path that counts.
std::optional<Refusal> guard(const std::vector<SameContent::CountedPath>& paths, const PathSet& set,
                             std::uint64_t started_ns, const RunContext& from, const SharedStatSnapshot& snapshot,
                             FileSystemState& file_system);

}  // namespace hipcache::inputs

#endif
