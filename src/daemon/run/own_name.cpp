#include "daemon/run/own_name.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/inputs/frames.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::daemon {

namespace {

constexpr std::size_t kMostNotes = 4;

// What one checkout made.
struct Note {
  std::vector<Root> roots;  // whose names might show
  Digest outputs;
};

std::string encode(const std::vector<Note>& notes) {
  inputs::FrameWriter out;
  for (const Note& note : notes) {
    out.number(note.roots.size());
    for (const Root& root : note.roots)
      for (const std::string* text : {&root.mark, &root.path, &root.alias, &root.form}) out.text(*text);
    out.raw(note.outputs.view());
  }
  return std::move(out).bytes();
}

std::vector<Note> decode(std::string_view bytes) {
  std::vector<Note> notes;
  inputs::FrameReader in(bytes);
  while (!in.finished() && !in.failed() && notes.size() < kMostNotes) {
    Note note;
    for (std::uint64_t left = std::min<std::uint64_t>(in.number(), Roots::kMost); left > 0; --left) {
      Root root;
      for (std::string* text : {&root.mark, &root.path, &root.alias, &root.form}) *text = in.text();
      note.roots.push_back(std::move(root));
    }
    const Result<Digest> outputs = Digest::from_bytes(in.raw(Digest::kSize));
    if (in.failed() || !outputs) break;
    note.outputs = *outputs;
    notes.push_back(std::move(note));
  }
  return notes;
}

Digest digest_of_outputs(const cache::ActionResult& result) {
  Hasher outputs("outputs");
  for (const cache::Output& output : result.outputs) outputs.field(output.name).field(output.blob);
  return outputs.finish();
}

Note note_of(const StepState& state, const cache::ActionResult& result, const Roots& roots) {
  Note note{{}, digest_of_outputs(result)};
  for (const std::string& mark : state.result.witnessed.named_roots)
    if (const Root* root = roots.find(mark)) note.roots.push_back(*root);
  return note;
}

// What the names of two checkouts that made the same share; nothing if they did not, or do not differ everywhere.
std::vector<inputs::Observation> shared_by(const Note& one, const Note& other) {
  std::vector<inputs::Observation> shared;
  if (one.outputs != other.outputs || one.roots.size() != other.roots.size()) return {};
  for (std::size_t i = 0; i < one.roots.size(); ++i) {
    std::optional<inputs::Observation> likeness = inputs::likeness_of(one.roots[i], other.roots[i]);
    if (!likeness) return {};
    shared.push_back(std::move(*likeness));
  }
  return shared;
}

// Records the result without its tie to the roots, but for names that are alike.
Status record_for(const std::vector<inputs::Observation>& likeness, const StepState& state,
                  const cache::ActionResult& result, const RequestContext& context) {
  const inputs::RunContext& from = context.request.from;
  inputs::Witnessed free;
  free.set = state.result.witnessed.without_names;
  free.state = state.result.witnessed.state_without_names;
  free.overlooked = state.result.witnessed.overlooked;  // it asks the same about sources and macros
  inputs::Witnessed names;
  names.set = std::make_shared<const inputs::PathSet>(likeness);
  names.state = context.services.file_system.state(*names.set, from);
  cache::Examined examined = context.services.actions.examine({free, names}, cache::Whole::step, from);
  if (!examined.agrees) return done();  // an input has changed
  return context.services.actions.record(state.spec().key, examined.all, result);
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
  const Note now = note_of(state, result, context.request.from.roots);
  std::vector<inputs::Observation> likeness;
  for (const Note& note : notes)
    if (likeness.empty()) likeness = shared_by(note, now);
  Status done_so = done();
  if (!likeness.empty()) {
    done_so = record_for(likeness, state, result, context);
  } else if (notes.size() < kMostNotes) {
    notes.push_back(now);
    done_so = services.store.put_action(place, encode(notes));
  }
  if (!done_so) services.log.info(context.of_object(spec.label) + ": " + done_so.error().message);
}

}  // namespace hipcache::daemon
