#include <algorithm>
#include <array>

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

// Version, duration, processor time, stdout, stderr, number of outputs, then for each: name, blob,
// size, flags, place; number of steps, then each step; in version 6 what it is found by. Version 1
// had no flags and no places; version 2 had digests of 16 bytes. Versions 3 and 4 are 5 and 6 without
// processor time. A result that was read from them keeps that form, so that its digest stays.
struct Form {
  bool has_processor_time, has_found_by;
  bool operator==(const Form&) const = default;
};
constexpr std::uint8_t kFirstVersion = 3;
constexpr auto kForms = std::to_array<Form>({{false, false}, {false, true}, {true, false}, {true, true}});
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
  const auto* form = std::find(kForms.begin(), kForms.end(), Form{processor_us.has_value(), found_by.has_value()});
  out.byte(static_cast<std::uint8_t>(kFirstVersion + (form - kForms.begin()))).number(duration_us);
  if (processor_us) out.number(*processor_us);
  out.text(stdout_text).text(stderr_text).number(outputs.size());
  for (const Output& one : outputs)
    out.text(one.name).raw(one.blob.bytes()).number(one.size).byte(flags_of(one)).text(one.place);
  out.number(steps.size());
  for (const std::string& step : steps) out.text(step);
  if (found_by) out.raw(found_by->key.view()).raw(found_by->path_set.view()).raw(found_by->result_key.view());
  return std::move(out).bytes();
}

Result<ActionResult> ActionResult::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  const std::size_t version = in.byte();
  if (version < kFirstVersion || version - kFirstVersion >= kForms.size()) return damaged("it is of another version");
  const Form& form = kForms.at(version - kFirstVersion);
  ActionResult result;
  result.duration_us = in.number();
  if (form.has_processor_time) result.processor_us = in.number();
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
  if (form.has_found_by) result.found_by = next_found_by(in);
  if (in.failed() || (form.has_found_by && !result.found_by)) return damaged("it ends in the middle");
  if (!in.finished()) return damaged("there are bytes after its end");
  return result;
}

}  // namespace hipcache::cache
