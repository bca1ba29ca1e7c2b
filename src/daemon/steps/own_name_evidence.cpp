#include "daemon/steps/own_name_evidence.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {
namespace {

constexpr std::size_t kMostNotes = 4;

// What one checkout made.
struct Note {
  std::vector<std::uint64_t> lengths;  // of the names that might show
  Digest outputs;
};

std::string encode(const std::vector<Note>& notes) {
  inputs::FrameWriter out;
  for (const Note& note : notes) {
    out.number(note.lengths.size());
    for (const std::uint64_t length : note.lengths) out.number(length);
    out.raw(note.outputs.view());
  }
  return std::move(out).bytes();
}

std::vector<Note> decode(std::string_view bytes) {
  std::vector<Note> notes;
  inputs::FrameReader in(bytes);
  while (!in.finished() && !in.failed() && notes.size() < kMostNotes) {
    Note note;
    for (std::uint64_t left = std::min<std::uint64_t>(in.number(), Roots::kMost); left > 0; --left)
      note.lengths.push_back(in.number());
    const Result<Digest> outputs = Digest::from_bytes(in.raw(Digest::kSize));
    if (in.failed() || !outputs) break;
    note.outputs = *outputs;
    notes.push_back(std::move(note));
  }
  return notes;
}

// Whether the two made the same under names that all differ in length.
bool proves(const Note& one, const Note& other) {
  if (one.outputs != other.outputs || one.lengths.size() != other.lengths.size()) return false;
  return std::equal(one.lengths.begin(), one.lengths.end(), other.lengths.begin(), std::not_equal_to<>());
}

Digest digest_of_outputs(const cache::ActionResult& result) {
  Hasher outputs("outputs");
  for (const cache::Output& output : result.outputs) outputs.field(output.name).field(output.blob);
  return outputs.finish();
}

}  // namespace

void note_own_name(const StepState& state, const cache::ActionResult& result, const RequestContext& context) {
  const inputs::Witnessed& witnessed = state.result.witnessed;
  const StepSpec& spec = state.spec();
  if (witnessed.without_names == nullptr || spec.planned == nullptr || spec.planned->kind != hip::StepKind::device)
    return;
  const Services& services = context.services;
  const Digest place = cache::key_hasher("own-name")
                           .field(spec.key.value)
                           .field(witnessed.without_names->id())
                           .field(witnessed.state_without_names)
                           .finish();
  const Result<std::optional<std::string>> stored = services.store.action(place);
  std::vector<Note> notes = stored && *stored ? decode(**stored) : std::vector<Note>();
  const Note now{witnessed.name_lengths, digest_of_outputs(result)};
  const bool agrees = std::any_of(notes.begin(), notes.end(), [&](const Note& note) { return proves(note, now); });
  Status done_so = done();
  if (agrees) {
    inputs::Witnessed free;
    free.set = witnessed.without_names;
    free.state = witnessed.state_without_names;
    done_so = services.actions.record(spec.key, free, result);
  } else if (notes.size() < kMostNotes) {
    notes.push_back(now);
    done_so = services.store.put_action(place, encode(notes));
  }
  if (!done_so) services.log.info(context.of_object(spec.label) + ": " + done_so.error().message);
}

}  // namespace hipcache::daemon
