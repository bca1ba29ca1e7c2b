#include <algorithm>

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

// Version, duration, stdout, stderr, number of outputs, then for each: name, blob, size, flags,
// place; number of steps, then each step; in version 4 what it is found by. Version 1 had no
// flags and no places; version 2 had digests of 16 bytes. A result without what it is found by has
// version 3, so that earlier versions of hipcache can read it in shared caches.
constexpr std::uint8_t kVersion = 3;
constexpr std::uint8_t kWithFoundBy = 4;
constexpr std::uint8_t kExecutable = 1;
constexpr std::uint8_t kInPlace = 2;
constexpr std::uint8_t kInPlaceIfEmpty = 4;
constexpr std::uint64_t kMaxOutputs = 1000;  // a compile for all existing architectures writes far fewer
constexpr std::uint64_t kMaxSteps = 1000;

Error damaged(std::string_view what) { return Error{"action result: " + std::string(what) + "; the entry is dropped"}; }

Result<Output> next_output(inputs::FrameReader& in) {
  Output output;
  output.name = in.text();
  Result<Digest> blob = Digest::from_bytes(in.raw(Digest::kSize));
  output.size = in.number();
  const std::uint8_t flags = in.byte();
  output.executable = (flags & kExecutable) != 0;
  output.in_place = (flags & kInPlace) != 0;
  output.in_place_if_empty = (flags & kInPlaceIfEmpty) != 0;
  output.place = in.text();
  if (in.failed() || !blob) return damaged("it ends in the middle of an output");
  if ((flags & ~(kExecutable | kInPlace | kInPlaceIfEmpty)) != 0) return damaged("it has an output of an unknown kind");
  output.blob = *blob;
  return output;
}

std::optional<FoundBy> next_found_by(inputs::FrameReader& in) {
  const Result<Digest> key = Digest::from_bytes(in.raw(Digest::kSize));
  const Result<Digest> path_set = Digest::from_bytes(in.raw(Digest::kSize));
  const Result<Digest> result_key = Digest::from_bytes(in.raw(Digest::kSize));
  if (!key || !path_set || !result_key) return std::nullopt;
  return FoundBy{*key, *path_set, *result_key};
}

std::uint8_t flags_of(const Output& output) {
  return static_cast<std::uint8_t>((output.executable ? kExecutable : 0) | (output.in_place ? kInPlace : 0) |
                                   (output.in_place_if_empty ? kInPlaceIfEmpty : 0));
}

}  // namespace

const Output* ActionResult::output(std::string_view name) const {
  auto at = std::find_if(outputs.begin(), outputs.end(), [&](const Output& one) { return one.name == name; });
  return at == outputs.end() ? nullptr : &*at;
}

std::string ActionResult::encode() const {
  inputs::FrameWriter out;
  out.byte(found_by ? kWithFoundBy : kVersion)
      .number(duration_us)
      .text(stdout_text)
      .text(stderr_text)
      .number(outputs.size());
  for (const Output& one : outputs)
    out.text(one.name).raw(one.blob.bytes()).number(one.size).byte(flags_of(one)).text(one.place);
  out.number(steps.size());
  for (const std::string& step : steps) out.text(step);
  if (found_by) out.raw(found_by->key.view()).raw(found_by->path_set.view()).raw(found_by->result_key.view());
  return std::move(out).bytes();
}

Result<ActionResult> ActionResult::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  const std::uint8_t version = in.byte();
  if (version != kVersion && version != kWithFoundBy) return damaged("it is of another version");
  ActionResult result;
  result.duration_us = in.number();
  result.stdout_text = in.text();
  result.stderr_text = in.text();
  const std::uint64_t count = in.number();
  if (in.failed()) return damaged("it ends in the middle");
  if (count > kMaxOutputs) return damaged("it claims more outputs than a step can have");
  for (std::uint64_t i = 0; i < count; ++i) {
    Result<Output> output = next_output(in);
    if (!output) return output.error();
    result.outputs.push_back(std::move(*output));
  }
  const std::uint64_t steps = in.number();
  if (steps > kMaxSteps) return damaged("it claims more steps than there are");
  for (std::uint64_t i = 0; i < steps; ++i) result.steps.emplace_back(in.text());
  if (version == kWithFoundBy) result.found_by = next_found_by(in);
  if (in.failed() || (version == kWithFoundBy && !result.found_by)) return damaged("it ends in the middle");
  if (!in.finished()) return damaged("there are bytes after its end");
  return result;
}

}  // namespace hipcache::cache
