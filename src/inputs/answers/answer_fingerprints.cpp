#include "hipcache/inputs/answer_fingerprints.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "hipcache/inputs/path_set.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {
namespace {

constexpr unsigned kFingerprintBytes = 8;
constexpr unsigned kStartBytes = 2;
constexpr std::uint64_t kStart = 0xffffull << 48;

Error damaged(std::string_view what) { return Error{"answers: " + std::string(what) + "; the entry is dropped"}; }

bool is_answer(std::uint8_t value) {
  return value >= static_cast<std::uint8_t>(Answer::absent) && value <= static_cast<std::uint8_t>(Answer::digest_start);
}

// Of the fingerprint's first bytes.
unsigned bytes_of(Answer kind) {
  if (kind == Answer::digest_start) return kStartBytes;
  return kind == Answer::error || kind == Answer::digest || kind == Answer::text ? kFingerprintBytes : 0;
}

void add_fingerprint(FrameWriter& out, const AnswerFingerprint& one) {
  for (unsigned at = 0; at < bytes_of(one.kind); ++at)
    out.byte(static_cast<std::uint8_t>(one.fingerprint >> (56 - 8 * at)));
}

std::uint64_t fingerprint_of(std::string_view bytes) {
  std::uint64_t fingerprint = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    fingerprint |= std::uint64_t{static_cast<std::uint8_t>(bytes[at])} << (56 - 8 * at);
  return fingerprint;
}

}  // namespace

void shorten(Answered& answered, const PathSet& set) {
  const std::vector<Observation>& observations = set.observations();
  for (std::size_t i = 0; i < std::min(answered.size(), observations.size()); ++i)
    if (observations[i].question == Question::content && answered[i].kind == Answer::digest &&
        is_installed(observations[i].name))
      answered[i] = {Answer::digest_start, answered[i].fingerprint & kStart};
}

bool is_same(const AnswerFingerprint& now, const AnswerFingerprint& then) {
  if (now.kind == Answer::digest && then.kind == Answer::digest_start)
    return (now.fingerprint & kStart) == then.fingerprint;
  return now == then;
}

// All kinds first: they are mostly equal, so they compress to almost nothing.
void add_answered(FrameWriter& out, const Answered& answered) {
  out.number(answered.size());
  for (const AnswerFingerprint& one : answered) out.byte(static_cast<std::uint8_t>(one.kind));
  for (const AnswerFingerprint& one : answered) add_fingerprint(out, one);
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
  for (AnswerFingerprint& one : answered) one.fingerprint = fingerprint_of(in.raw(bytes_of(one.kind)));
  if (in.failed()) return damaged("they end in the middle");
  return answered;
}

}  // namespace hipcache::inputs
