// Encodes the answers of one state unambiguously, and digests them.
#ifndef HIPCACHE_SRC_INPUTS_ANSWERS_STATE_ENCODER_H
#define HIPCACHE_SRC_INPUTS_ANSWERS_STATE_ENCODER_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/frames.h"
#include "inputs/state/mounts.h"

namespace hipcache::inputs {

class StateEncoder {
 public:
  void add(Answer answer) { out_.byte(static_cast<std::uint8_t>(answer)); }
  void add(Answer answer, std::string_view text) { add(answer), out_.text(text); }
  void add(Answer answer, const Digest& digest) { add(answer), out_.raw(digest.view()); }
  void add_error(int error) { add(Answer::error), out_.number(static_cast<std::uint64_t>(error)); }
  // Absent, error, directory or other: the answers that need only a stat.
  void add_kind(const PathStat& seen);
  // The answer about a file's content, of which `content` is the digest. That and the stamp are kept for add_twins().
  // The answer may be a weaker one.
  void add_content(std::uint32_t index, const Digest& answer, const Digest& content, const Stamp& stamp);
  // An answer may leave out any of the macros.
  void overlook(const std::vector<Macro>& macros);
  // Keeps a directory's stamp for add_twins().
  void note_directory(std::uint32_t index, const Stamp& stamp) { directories_.push_back({stamp, index}); }
  // Adds which names of equal content are one file, and which names are one directory. REQUIRES: all else was added.
  void add_twins();

  // fingerprint_since: the bytes that were added after size() was `begin`, as one answer. twins_since: the same for
  // add_twins().
  std::size_t size() const { return out_.bytes().size(); }
  AnswerFingerprint fingerprint_since(std::size_t begin) const;
  AnswerFingerprint twins_since(std::size_t begin) const;

  State finish(const Digest& set);

 private:
  struct Content {
    Digest digest;
    std::uint32_t index;  // of the observation
    Stamp stamp;
  };

  struct Directory {
    Stamp stamp;
    std::uint32_t index;  // of the observation
  };

  void add_twin_files();
  void add_twin_directories();

  FrameWriter out_;
  FrameWriter overlooked_;  // in the set's order
  std::vector<Content> contents_;
  std::vector<Directory> directories_;
};

}  // namespace hipcache::inputs

#endif
