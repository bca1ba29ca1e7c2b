// The present state of the file system and the machine. The state of a path set is one digest over
// the answers to all its questions.
//
// Problem: a hit must prove some 400 files, 700 absences and 80 directories in well under a
// millisecond.
// Choice: a digest is kept per (device, inode, size, mtime, ctime, mount). What a directory contains and
// lacks is kept per directory under its (device, inode, mtime, ctime). That costs one stat per file
// and one per directory. If a time stamp is too recent to prove that nothing changed (kDistrust in file_clock.h),
// the file system is asked again.
// Rejected: inotify (races, limits, no network file systems).
#ifndef HIPCACHE_INPUTS_FILE_SYSTEM_STATE_H
#define HIPCACHE_INPUTS_FILE_SYSTEM_STATE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_clock.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::inputs {

struct FileSystemMemo;  // private to the folder, as the next two are
class SharedStatSnapshot;
struct KnownFile;

// What the file system and the request answer to a path set now.
struct State {
  Digest digest;  // over all answers, in the set's order
  // Of what the set's weaker questions do not see: the bytes of the sources that it asks about by tokens, and all
  // macros of the command that the key lacks, if the set asks about some alone. Nothing if it has no such question.
  // Proves nothing: it tells whether a hit rests on these questions (cache::Hit::is_by_tokens).
  std::optional<Digest> overlooked;
};

// Thread-safe. Memory is bounded: 200,000 digests, 20,000 listings and 100,000 names
// (src/inputs/state/file_system_memo.h). docs/internals/proof.md says when an answer is remembered, and why that is
// safe.
class FileSystemState {
 public:
  explicit FileSystemState(Clock clock = file_clock(), MountIds mount_ids = kernels_mount_ids());
  ~FileSystemState();
  FileSystemState(const FileSystemState&) = delete;
  FileSystemState& operator=(const FileSystemState&) = delete;

  // Asks every question of the set. If `answered` is given, the fingerprints of all answers are added to it
  // (answer_fingerprints.h).
  State full_state(const PathSet& set, const RunContext& from, Effort* effort = nullptr, Answered* answered = nullptr);

  // Only its digest.
  Digest state(const PathSet& set, const RunContext& from, Effort* effort = nullptr, Answered* answered = nullptr) {
    return full_state(set, from, effort, answered).digest;
  }

  // The states of several sets that overlap; looks at each path once. `answered` gets the answers
  // of the first set.
  std::vector<State> states(const std::vector<const PathSet*>& sets, const RunContext& from, Answered* answered);

  // Like full_state(), and leaves what was seen in `snapshot`. Private to the folder.
  State full_state(const PathSet& set, const RunContext& from, SharedStatSnapshot& snapshot, Answered* answered);

  // The digest of a regular file's content as `state` would see it; an error for everything else.
  Result<Digest> content(const std::string& absolute_path, Effort* effort = nullptr);
  // The same as the weakest question about its tokens sees it (Question::tokens).
  Result<Digest> tokens(const std::string& absolute_path);
  // Which of the names a source has as words, in live code or as macros; all of them if its words are not known.
  std::vector<std::string> words_among(const std::string& absolute_path, const std::vector<std::string>& names);

  // Those of the names that may occur in a file whose content the set asks about: as a word, or pasted together (##).
  // All of them if the words of some file are not known.
  std::vector<std::string> names_among(const PathSet& set, const std::vector<std::string>& names,
                                       const RunContext& from);
  bool exists(const std::string& absolute_path, Effort* effort = nullptr);

  // Exports and imports the digests of files, for a later daemon that sees the same files in the
  // same boot. `origin` names the boot and the view. Import takes nothing and returns an error
  // if the bytes are damaged or of another origin.
  std::string digests(std::string_view origin);
  Status take_digests(std::string_view bytes, std::string_view origin);
  // How many digests were learned by reading files: tells whether digests() has something new.
  std::uint64_t learned_digests() const;

  // All remembered files with their states. Private to the folder.
  std::vector<KnownFile> known_files();

  FileSystemMemo& memo() { return *memo_; }  // private to the folder

 private:
  std::unique_ptr<FileSystemMemo> memo_;
};

}  // namespace hipcache::inputs

#endif
