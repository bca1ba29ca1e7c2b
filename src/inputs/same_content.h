// Whether a run got the content that is there now, although a file's stamp says that something happened to it
// meanwhile.
//
// The problem: a hard link, a change of mode, or the same package unpacked once more over itself gives every file of a
// compiler a new ctime, and a toolchain's worth of steps that were running is lost. The choice: compare contents. The
// trace says in which state each file was opened; a digest that the world remembers for that state is the content that
// the process got, if nobody wrote into the opened file afterwards. The file passes if that digest, the size and the
// modification time are those of the file that is there now. A file that was opened in its present state passes if all
// later changes would show in its stamp, as the clock was past its ctime by then (a header that was generated just
// before the compile), or if its modification time is older than the run. A link passes by what was reached through it,
// as each thing that was reached is compared by itself.
//
// Rejected: to compare size and modification time alone where no digest is known for the opened state. An unpacked
// package may have one time for all files, so another version can have both. Such a file (one that no earlier step has
// read, and that changed after this one opened it) counts as changed.
// Rejected: listings. Unpacking removes an entry for a moment and sets the directory's time back.
//
// What this rests on, beyond the race guard: nobody writes other content into an opened file, writes the first content
// back (or puts it back under a new inode) and sets the modification time back, all while one step runs.
//
// Built at the first question, which is rare. Used by one thread.
#ifndef HIPCACHE_INPUTS_SAME_CONTENT_H
#define HIPCACHE_INPUTS_SAME_CONTENT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hipcache/inputs/world.h"
#include "hipcache/trace/record.h"
#include "inputs/looks.h"
#include "inputs/memory.h"
#include "inputs/stamp.h"

namespace hipcache::inputs {

class SameContent {
 public:
  struct Got {
    const trace::Record* record;
    std::string path;  // absolute
  };

  // `got`: every record of a path that counts. `looks`: what the run's state was made of. REQUIRES: the records,
  // `looks` and `world` outlive it.
  SameContent(std::vector<Got> got, const Looks& looks, World& world, std::uint64_t started_ns)
      : got_(std::move(got)), looks_(looks), world_(world), started_ns_(started_ns) {}

  // Of a file whose content counts: whether every process got the content that is there now.
  bool of_file(const std::string& path);

  // Of a path that was only looked at: whether the process saw a file that is not empty, where one is now.
  bool of_look(const trace::Record& record, const std::string& path);

  // Of a link that was made anew: whether all that may have been reached through it is known to be what it leads to
  // now.
  bool of_links();

 private:
  struct Opened {
    trace::Kind kind;
    std::uint64_t seen;
    bool changes_show;  // all that came after, in the file's stamp
  };

  void build();
  void remember_known_states();
  void compare_identities();
  bool is_older_than_run(const Stamp& stamp) const;
  bool is_same(const Opened& opened, const FileDigest& now) const;
  bool runs_by_another_name(const FileDigest& now) const;
  bool was_identified(const std::string& path) const;

  std::vector<Got> got_;
  const Looks& looks_;
  World& world_;
  const std::uint64_t started_ns_;
  bool built_ = false;
  bool identities_agree_ = true;
  std::unordered_map<std::string_view, std::vector<Opened>> opened_;
  std::unordered_map<std::string_view, FileDigest> now_;
  std::unordered_map<std::uint64_t, KnownFile> states_;  // by the digest that the trace has of a state
  std::unordered_set<std::uint64_t> entries_;            // by the digest that the trace has of a look
};

}  // namespace hipcache::inputs

#endif
