#include "hipcache/inputs/answer_fingerprints.h"

#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {
namespace {

constexpr std::size_t kFingerprintBytes = 8;

Error damaged(std::string_view what) { return Error{"answers: " + std::string(what) + "; the entry is dropped"}; }

bool is_answer(std::uint8_t value) {
  return value >= static_cast<std::uint8_t>(Answer::absent) &&
         value <= static_cast<std::uint8_t>(Answer::empty_executable);
}

bool has_fingerprint(Answer kind) { return kind == Answer::error || kind == Answer::digest || kind == Answer::text; }

void add_fingerprint(FrameWriter& out, std::uint64_t fingerprint) {
  for (unsigned shift = 64; shift > 0; shift -= 8) out.byte(static_cast<std::uint8_t>(fingerprint >> (shift - 8)));
}

std::uint64_t fingerprint_of(std::string_view bytes) {
  std::uint64_t fingerprint = 0;
  for (const char byte : bytes) fingerprint = fingerprint << 8 | static_cast<std::uint8_t>(byte);
  return fingerprint;
}

}  // namespace

// All kinds first: they are mostly equal, so they compress to almost nothing.
void add_answered(FrameWriter& out, const Answered& answered) {
  out.number(answered.size());
  for (const AnswerFingerprint& one : answered) out.byte(static_cast<std::uint8_t>(one.kind));
  for (const AnswerFingerprint& one : answered)
    if (has_fingerprint(one.kind)) add_fingerprint(out, one.fingerprint);
}

Result<Answered> next_answered(FrameReader& in) {
  const std::uint64_t count = in.number();
  if (count > PathSet::kMaxObservations + 1) return damaged("more are claimed than a set may have");
  const std::string_view kinds = in.raw(count);
  Answered answered(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto kind = static_cast<std::uint8_t>(kinds[i]);
    if (!is_answer(kind)) return damaged("one is of an unknown kind");
    answered[i].kind = static_cast<Answer>(kind);
  }
  for (AnswerFingerprint& one : answered)
    if (has_fingerprint(one.kind)) one.fingerprint = fingerprint_of(in.raw(kFingerprintBytes));
  if (in.failed()) return damaged("they end in the middle");
  return answered;
}

}  // namespace hipcache::inputs
