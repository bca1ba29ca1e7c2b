// The answers to a path set's questions told one by one, so that a later look can say which of them differs. A state
// (World::state) proves more, but is one digest over all: it can only say that something does.
//
// Kept small and discreet: of each answer its kind and 64 bits. Of a file these are the first of its content's digest,
// so that what is shown is the beginning of the file's real one. Of a variable's value they are 16 bits of its digest:
// enough to see that it changed, too few to tell from what is stored which of many likely values a secret has.
#ifndef HIPCACHE_INPUTS_TOLD_H
#define HIPCACHE_INPUTS_TOLD_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::inputs {

enum class Answer : std::uint8_t {
  absent = 1,
  file = 2,
  executable = 3,
  directory = 4,
  other = 5,       // device, socket, pipe
  error = 6,       // and which
  unreadable = 7,  // there, but not to be opened or read
  digest = 8,
  text = 9,
  no_link = 10,
  unset = 11,
  empty_file = 12,
  empty_executable = 13,
};

struct Told {
  Answer kind = Answer::absent;
  std::uint64_t fingerprint = 0;  // of the digest, the text or the error; 0 where the kind says it all
  bool operator==(const Told&) const = default;
};

// One for each observation, in the set's order; then one for which of the files are one and the same.
using Answered = std::vector<Told>;

void add_answered(FrameWriter& out, const Answered& answered);
// An error for what is damaged or longer than a path set may be.
Result<Answered> next_answered(FrameReader& in);

}  // namespace hipcache::inputs

#endif
