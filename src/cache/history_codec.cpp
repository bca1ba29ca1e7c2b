#include <algorithm>

#include "hipcache/cache/miss_history.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::cache {
namespace {

// Version, object, list of its source, compiler, arguments, architectures, both directories, CUID. Number of steps,
// then for each: label, key, programs, number of commands and each one's arguments, inputs, set,
// refusal, detail. Blob of the path set, answers. Version 4: the object. Version 5: no colour. Version 6: the list
// of its source.
constexpr std::uint8_t kVersion = 6;

Error damaged(std::string_view what) { return Error{"miss history: " + std::string(what) + "; the entry is dropped"}; }

void add(inputs::FrameWriter& out, const std::vector<std::string>& texts) {
  out.number(texts.size());
  for (const std::string& text : texts) out.text(text);
}

void add(inputs::FrameWriter& out, const Asked& asked) {
  out.text(asked.compiler);
  add(out, asked.arguments);
  add(out, asked.archs);
  out.text(asked.working_directory).text(asked.logical_directory).text(asked.cuid);
}

void add(inputs::FrameWriter& out, const HistoryStep& step) {
  out.text(step.label).raw(step.key.value.bytes());
  add(out, step.programs);
  out.number(step.arguments.size());
  for (const std::vector<std::string>& arguments : step.arguments) add(out, arguments);
  out.number(step.inputs.size());
  for (const Digest& input : step.inputs) out.raw(input.bytes());
  out.raw(step.set.bytes()).text(step.refusal).text(step.detail);
}

// Reading stops at the first failure, so that a false count costs no more than the bytes that
// exist.
template <typename Item, typename Next>
std::vector<Item> next_list(inputs::FrameReader& in, Next next) {
  std::vector<Item> items;
  for (std::uint64_t left = in.number(); left > 0 && !in.failed(); --left) items.push_back(next(in));
  return items;
}

std::string next_text(inputs::FrameReader& in) { return std::string(in.text()); }

std::vector<std::string> next_texts(inputs::FrameReader& in) { return next_list<std::string>(in, next_text); }

Digest next_digest(inputs::FrameReader& in) {
  const Result<Digest> digest = Digest::from_bytes(in.raw(Digest::kSize));
  return digest ? *digest : Digest{};
}

Asked next_asked(inputs::FrameReader& in) {
  Asked asked;
  asked.compiler = in.text();
  asked.arguments = next_texts(in);
  asked.archs = next_texts(in);
  asked.working_directory = in.text();
  asked.logical_directory = in.text();
  asked.cuid = in.text();
  return asked;
}

HistoryStep next_step(inputs::FrameReader& in) {
  HistoryStep step;
  step.label = in.text();
  step.key.value = next_digest(in);
  step.programs = next_texts(in);
  step.arguments = next_list<std::vector<std::string>>(in, next_texts);
  step.inputs = next_list<Digest>(in, next_digest);
  step.set = next_digest(in);
  step.refusal = in.text();
  step.detail = in.text();
  return step;
}

}  // namespace

const HistoryStep* HistoryEntry::step(std::string_view label) const {
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const HistoryStep& one) { return one.label == label; });
  return at == steps.end() ? nullptr : &*at;
}

std::string HistoryEntry::encode() const {
  inputs::FrameWriter out;
  out.text(object).raw(of_source.bytes());
  add(out, asked);
  out.number(steps.size());
  for (const HistoryStep& step : steps) add(out, step);
  out.raw(observed.blob.bytes());
  inputs::add_answered(out, observed.answered);
  return std::string(1, static_cast<char>(kVersion)) + std::move(out).bytes();
}

Result<HistoryEntry> HistoryEntry::decode(std::string_view bytes) {
  if (bytes.empty() || static_cast<std::uint8_t>(bytes.front()) != kVersion) return damaged("it is of another version");
  if (bytes.size() > kMaxHistoryBytes) return damaged("it is longer than an entry may be");
  inputs::FrameReader in(bytes.substr(1));
  HistoryEntry entry;
  entry.object = in.text();
  entry.of_source = next_digest(in);
  entry.asked = next_asked(in);
  entry.steps = next_list<HistoryStep>(in, next_step);
  entry.observed.blob = next_digest(in);
  Result<inputs::Answered> answered = inputs::next_answered(in);
  if (!answered) return damaged(answered.error().message);
  if (!in.finished()) return damaged("there are bytes after its end");
  entry.observed.answered = std::move(*answered);
  return entry;
}

}  // namespace hipcache::cache
