#include "daemon/run/output_recorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "daemon/audit/audit.h"
#include "daemon/run/own_name.h"
#include "hipcache/base/reason.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/hip/depfile.h"

namespace hipcache::daemon {

namespace {

// What an output resembles, for compression: a fatbin contains its code objects, an object its fatbin, and depfiles of
// one project name the same headers. For an opaque compile, files written in place are taken for depfiles.
store::Likeness likeness_of(const CollectedOutput& output, const StepSpec& spec) {
  for (const char* of_parts : {hip::kBundle, hip::kFatbinObjectRole, hip::kObject})
    if (output.role == of_parts) return {.parts = spec.inputs};
  const bool is_depfile = output.role == hip::kDepfile || hip::portable_form(output.role) || output.in_place;
  return {.parts = {}, .family = is_depfile ? "depfile" : ""};
}

// A failure becomes the step's refusal.
void store_bytes(StepState& state, const std::string& bytes, const store::Likeness& likeness,
                 const RequestContext& context) {
  if (state.result.is_refused() || context.request.settings.readonly) return;
  if (Result<Digest> stored = context.services.store.put_blob_like(bytes, likeness); !stored) {
    context.services.log.error(context.of_object("cannot store: " + stored.error().message));
    context.services.counters.error();
    state.result.refusal.reason = Reason::store_error;
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
  if (!result.is_refused()) {
    state.is_found_wrong = !context.audit->compare(audited(state, context), result, 0, context);
    return;
  }
  result.witnessed.set = nullptr;
  context.audit->note_void(context.of_object(state.spec().label),
                           std::string(text_of(result.refusal.reason)) + " " + result.refusal.detail);
}

}  // namespace

void audit_failure(StepState& state, const RequestContext& context) {
  const StepResult& result = state.result;
  if (result.doubt.empty())
    state.is_found_wrong = !context.audit->compare(audited(state, context), result, result.exit_code, context);
  else
    context.audit->note_void(context.of_object(state.spec().label), result.doubt);
}

bool keep(StepState& state, std::vector<CollectedOutput> outputs, const RequestContext& context) {
  store_outputs(state, std::move(outputs), context);
  if (state.audited) {
    audit(state, context);
    return true;
  }
  const bool is_kept = !state.result.is_refused();
  if (is_kept)
    record(state, context);
  else
    state.result.witnessed.set = nullptr;
  return is_kept;
}

void record_together(StepState& state, const std::vector<inputs::Witnessed>& runs, const RequestContext& context) {
  cache::Examined examined = context.services.actions.examine(runs, cache::Whole::step, context.request.from);
  if (!examined.agrees) {
    state.result.refusal = {Reason::input_changed, examined.changed};
    return;
  }
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
  const std::string file = result.refusal.detail.empty() ? "" : ": " + result.refusal.detail;
  context.services.counters.not_stored(text_of(result.refusal.reason), what + file);
  context.services.log.info(what + " is not stored: " + text_of(result.refusal.reason) + file);
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
