#include "daemon/record/output_recorder.h"

#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/audit/audit.h"
#include "daemon/step/step.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/frames.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::daemon {

namespace {

// Evidence that a device step's outputs do not depend on the name of the checkout.
//
// Problem: a source uses __FILE__, mostly in host code, and device code might measure the name and not show it. So the
// result is tied to its checkout, and each further checkout runs the device's front end.
// Choice: the outputs tell. If two checkouts make the same outputs of the same inputs, the code uses nothing of the
// name that differs between them. The result is recorded for names that share what these share (path_set.h): where
// the names differ in length, the characters with which they begin and end. Rejected: one run with a prefix map beside
// the first. Each first build would pay for it.
//
// Not seen: code that only asks whether the name is longer than some length.

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

// Notes what the step made here. Records the result without the tie, or with a weaker one, if another checkout's note
// agrees. `result`: as it was recorded. REQUIRES: the step's result is recorded.
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

bool is_executable(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IXUSR) != 0;
}

// What an output resembles, for compression: a fatbin contains its code objects, an object its fatbin, and depfiles of
// one project name the same headers. For an opaque compile, files written in place are taken for depfiles.
store::Likeness likeness_of(const CollectedOutput& output, const StepSpec& spec) {
  for (const char* of_parts : {hip::kBundle, hip::kFatbinObjectRole, hip::kObject})
    if (output.role == of_parts) return {.parts = spec.inputs};
  const bool is_depfile = output.role == hip::kDepfile || output.role == hip::kPortableDepfile ||
                          output.role == hip::kPortableGccDepfile || output.in_place;
  return {.parts = {}, .family = is_depfile ? "depfile" : ""};
}

Result<CollectedOutput> read_plain(std::string role, const std::string& path) {
  Result<std::string> bytes = read_file(path, kOutputLimit);
  if (!bytes) return bytes.error();
  return CollectedOutput{.role = std::move(role), .bytes = std::move(*bytes), .executable = is_executable(path)};
}

// A failure becomes the step's refusal.
void store_bytes(StepState& state, const std::string& bytes, const store::Likeness& likeness,
                 const RequestContext& context) {
  if (state.result.refusal != Reason::none || context.request.settings.readonly) return;
  if (Result<Digest> stored = context.services.store.put_blob_like(bytes, likeness); !stored) {
    context.services.log.error(context.of_object("cannot store: " + stored.error().message));
    context.services.counters.error();
    state.result.refusal = Reason::store_error;
  }
}

void store_outputs(StepState& state, std::vector<CollectedOutput> outputs, const RequestContext& context) {
  for (CollectedOutput& output : outputs) {
    const Digest digest = digest_of(output.bytes);
    context.lease.add(digest);
    store_bytes(state, output.bytes, likeness_of(output, state.spec()), context);
    state.result.outputs.push_back({.name = std::move(output.role),
                                    .blob = digest,
                                    .size = output.bytes.size(),
                                    .executable = output.executable,
                                    .place = std::move(output.place),
                                    .in_place = output.in_place,
                                    .in_place_if_empty = output.in_place_if_empty});
  }
}

constexpr const char* kOwnName = "own-name";

// Counts a result that is tied to the checkout because a source uses its own name.
void count_tie(const inputs::Witnessed& witnessed, const RequestContext& context) {
  if (witnessed.asks_own_name.empty()) return;
  const std::string& source = witnessed.asks_own_name;
  const Root* root = context.request.from.roots.around(source);
  if (root == nullptr) return;
  context.services.counters.tied(kOwnName, source.substr(root->path.size() + 1) +
                                               " uses __FILE__: compile with -ffile-prefix-map=" + root->path + "=.");
}

void record(const StepState& state, const RequestContext& context) {
  if (context.request.settings.readonly) return;
  count_tie(state.result.witnessed, context);
  cache::ActionResult result = state.result;
  result.steps = state.spec().names;
  if (state.preamble) result.preambles = {state.preamble->header};
  const Status recorded = context.services.actions.record(state.spec().key, state.result.witnessed, result);
  if (recorded) return note_own_name(state, result, context);
  context.services.log.error(
      context.of_object("cannot record " + state.spec().label + ": " + recorded.error().message));
  context.services.counters.error();
}

Audited audited(const StepState& state, const RequestContext& context) {
  return {.what = context.of_object(state.spec().label), .key = state.spec().key, .stored = *state.audited};
}

// REQUIRES: the step is audited, and its run succeeded.
void audit(StepState& state, const RequestContext& context) {
  StepResult& result = state.result;
  if (result.refusal == Reason::none) {
    state.is_found_wrong = !context.audit->compare(audited(state, context), result, 0, context);
    return;
  }
  result.witnessed.set = nullptr;
  context.audit->note_void(context.of_object(state.spec().label),
                           std::string(text_of(result.refusal)) + " " + result.refusal_detail);
}

}  // namespace

void audit_failure(StepState& state, const RequestContext& context) {
  const StepResult& result = state.result;
  if (result.doubt.empty())
    state.is_found_wrong = !context.audit->compare(audited(state, context), result, result.exit_code, context);
  else
    context.audit->note_void(context.of_object(state.spec().label), result.doubt);
}

Result<CollectedOutput> collect_output(std::string role, const std::string& path, const Roots& roots) {
  if (role == hip::kDepfile) return collect_depfile(path, roots, hip::DepfileForm::clang, "");
  return read_plain(std::move(role), path);
}

Result<CollectedOutput> collect_depfile(const std::string& path, const Roots& roots, hip::DepfileForm form,
                                        const std::string& target) {
  Result<CollectedOutput> made = read_plain(hip::kDepfile, path);
  if (!made || (target.empty() && roots.shown_in(made->bytes) == 0)) return made;
  if (std::optional<std::string> portable = hip::portable_depfile(made->bytes, roots, form, target)) {
    made->role = form == hip::DepfileForm::gcc ? hip::kPortableGccDepfile : hip::kPortableDepfile;
    made->bytes = std::move(*portable);
  }
  return made;
}

std::optional<inputs::Refusal> names_directory(const std::vector<CollectedOutput>& outputs,
                                               const RequestDirectory& directory) {
  const std::string& path = directory.path();
  for (const CollectedOutput& output : outputs) {
    if (output.role == hip::kSaid || output.role == hip::kCaptured) continue;
    if (memmem(output.bytes.data(), output.bytes.size(), path.data(), path.size()) != nullptr)
      return inputs::Refusal{Reason::names_temporary_files, output.place.empty() ? output.role : output.place};
  }
  return std::nullopt;
}

Relocatability relocatability_of(const hip::PrefixMaps& maps, const std::vector<CollectedOutput>& outputs,
                                 const cache::ActionResult& said, const inputs::RunContext& from) {
  Relocatability ties(maps);
  for (const CollectedOutput& output : outputs) {
    if (output.role == hip::kSaid)
      ties.look_into_printed(output.bytes, from);
    else
      ties.look_into(output.role, output.bytes, from);
  }
  ties.look_into_printed(said.stdout_text, from);
  ties.look_into_printed(said.stderr_text, from);
  return ties;
}

bool keep(StepState& state, std::vector<CollectedOutput> outputs, const RequestContext& context) {
  store_outputs(state, std::move(outputs), context);
  if (state.audited) {
    audit(state, context);
    return true;
  }
  const bool is_kept = state.result.refusal == Reason::none;
  if (is_kept)
    record(state, context);
  else
    state.result.witnessed.set = nullptr;
  return is_kept;
}

void record_together(StepState& state, const std::vector<inputs::Witnessed>& runs, const RequestContext& context) {
  cache::Examined examined = context.services.actions.examine(runs, cache::Whole::step, context.request.from);
  if (!examined.agrees) return state.result.refuse({Reason::input_changed, examined.changed});
  state.result.witnessed = std::move(examined.all);
  if (std::any_of(runs.begin(), runs.end(),
                  [](const inputs::Witnessed& run) { return run.without_names != nullptr; })) {
    std::vector<inputs::Witnessed> free = runs;
    for (inputs::Witnessed& run : free) {
      if (run.without_names == nullptr) continue;
      run.set = std::move(run.without_names);
      run.state = run.state_without_names;
    }
    examined = context.services.actions.examine(free, cache::Whole::step, context.request.from);
    if (examined.agrees) {
      state.result.witnessed.without_names = std::move(examined.all.set);
      state.result.witnessed.state_without_names = examined.all.state;
      for (const inputs::Witnessed& run : runs)
        if (!run.named_roots.empty()) state.result.witnessed.named_roots = run.named_roots;
    }
  }
  for (const inputs::Witnessed& run : runs)
    if (!run.asks_own_name.empty()) state.result.witnessed.asks_own_name = run.asks_own_name;
  for (const inputs::Witnessed& run : runs)
    if (!run.strict_by.empty()) state.result.witnessed.strict_by = run.strict_by;
  record(state, context);
}

void note_not_stored(const StepState& state, const RequestContext& context) {
  const StepResult& result = state.result;
  const std::string what = context.of_object(state.spec().label);
  const std::string file = result.refusal_detail.empty() ? "" : ": " + result.refusal_detail;
  context.services.counters.not_stored(text_of(result.refusal), what + file);
  context.services.log.info(what + " is not stored: " + text_of(result.refusal) + file);
}

void take_filled(StepState& state, const hip::StepOutput& file, const Digest& fatbin, std::string bytes,
                 store::Lease& lease) {
  const Digest digest = digest_of(bytes);
  lease.add(digest);
  const cache::Output* made = state.made(file);
  state.result.filled = {.output = {.name = file.role,
                                    .blob = digest,
                                    .size = bytes.size(),
                                    .executable = made != nullptr && made->executable},
                         .parts = {made == nullptr ? Digest{} : made->blob, fatbin},
                         .bytes = std::move(bytes)};
}

void store_filled(StepState& state, const RequestContext& context) {
  const auto is_users = [](const hip::StepOutput& file) { return !file.fatbin.empty() && !file.place.empty(); };
  const std::vector<hip::StepOutput>& outputs = state.spec().outputs;
  if (!state.result.filled || std::none_of(outputs.begin(), outputs.end(), is_users)) return;
  store_bytes(state, state.result.filled->bytes, {.parts = state.result.filled->parts}, context);
}

}  // namespace hipcache::daemon
