// The answers of one state, in bytes that cannot be read in two ways, and their digest.
#ifndef HIPCACHE_INPUTS_ANSWERS_H
#define HIPCACHE_INPUTS_ANSWERS_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/frames.h"
#include "hipcache/inputs/told.h"
#include "inputs/glance.h"

namespace hipcache::inputs {

class Answers {
 public:
  void add(Answer answer) { out_.byte(static_cast<std::uint8_t>(answer)); }
  void add(Answer answer, std::string_view text) { add(answer), out_.text(text); }
  void add(Answer answer, const Digest& digest) { add(answer), out_.number(digest.high).number(digest.low); }
  void add_error(int error) { add(Answer::error), out_.number(static_cast<std::uint64_t>(error)); }
  // Absent, error, directory or other: what needs no more than the sight.
  void add_kind(const Sight& sight);
  // A file's content, and the file itself for `finish` to compare with the other ones.
  void add_content(std::uint32_t index, const Digest& digest, const Stamp& stamp);
  // A directory itself, for the same.
  void note_directory(std::uint32_t index, const Stamp& stamp) { directories_.push_back({stamp, index}); }
  // The last answer: which names of equal content are one file, and which names of directories are one directory.
  void add_twins();

  // What was added since the answers were `begin` bytes long, as one answer; and the twins.
  std::size_t size() const { return out_.bytes().size(); }
  Told told_since(std::size_t begin) const;
  Told twins_since(std::size_t begin) const;

  Digest finish(const Digest& set);

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
  std::vector<Content> contents_;
  std::vector<Directory> directories_;
};

}  // namespace hipcache::inputs

#endif
