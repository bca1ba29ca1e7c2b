// Answer fingerprints: the answers to a path set's questions, one by one, so that a later look-up
// can say which of them differ. A state (FileSystemState::state) proves more, but it is one digest over all
// answers and only says that some answer differs.
//
// Each answer is stored as its kind and 64 bits, which is small and reveals little. For a file
// these are the first bits of its content's digest, so that the digits shown begin the file's real
// digest. For a variable's value they are 16 bits of its digest: enough to see a change, too few to
// tell a secret among likely values.
#ifndef HIPCACHE_INPUTS_ANSWER_FINGERPRINTS_H
#define HIPCACHE_INPUTS_ANSWER_FINGERPRINTS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::inputs {

class PathSet;

enum class Answer : std::uint8_t {
  absent = 1,
  file = 2,
  executable = 3,
  directory = 4,
  other = 5,       // device, socket, pipe
  error = 6,       // with the errno in the fingerprint
  unreadable = 7,  // exists, but cannot be opened or read
  digest = 8,
  text = 9,
  no_link = 10,
  unset = 11,
  empty_file = 12,
  empty_executable = 13,
  digest_start = 14,  // of a digest its first 16 bits alone
};

struct AnswerFingerprint {
  Answer kind = Answer::absent;
  // Of the digest, the text or the error; 0 if the kind is the complete answer.
  std::uint64_t fingerprint = 0;
  bool operator==(const AnswerFingerprint&) const = default;
};

// One for each observation, in the set's order; then one for which of the files are the same file.
using Answered = std::vector<AnswerFingerprint>;

// Keeps of the content of installed files the first 16 bits alone: they are most of the answers, and hardly ever
// change.
void shorten(Answered& answered, const PathSet& set);

// Whether an answer is what it was, as far as that is known.
bool is_same(const AnswerFingerprint& now, const AnswerFingerprint& then);

// Begins an entry of a miss history in archives and shared caches (hipcache/cache/miss_history.h).
inline constexpr std::string_view kSharedHistory = "HCMH";

void add_answered(FrameWriter& out, const Answered& answered);
// An error for bytes that are damaged, or longer than a path set may be.
Result<Answered> next_answered(FrameReader& in);

}  // namespace hipcache::inputs

#endif
