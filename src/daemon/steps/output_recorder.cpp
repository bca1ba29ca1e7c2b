#include "daemon/steps/output_recorder.h"

#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "daemon/audit/audit.h"
#include "daemon/request/reason.h"
#include "daemon/steps/own_name_evidence.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

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
  if (!state.result.refusal.empty() || context.request.settings.readonly) return;
  if (Result<Digest> stored = context.services.store.put_blob_like(bytes, likeness); !stored) {
    context.services.log.error(context.of_object("cannot store: " + stored.error().message));
    context.services.counters.error();
    state.result.refusal = reason::kStoreError;
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
  if (result.refusal.empty()) {
    state.is_found_wrong = !context.audit->compare(audited(state, context), result, context);
    return;
  }
  result.witnessed.set = nullptr;
  context.audit->note_void(context.of_object(state.spec().label), result.refusal + " " + result.refusal_detail);
}

}  // namespace

void audit_failure(StepState& state, const RequestContext& context) {
  const StepResult& result = state.result;
  if (result.doubt.empty())
    state.is_found_wrong = !context.audit->compare_failure(audited(state, context), result, result.exit_code, context);
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
      return inputs::Refusal{reason::kNamesTemporaryFiles, output.place.empty() ? output.role : output.place};
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

void keep(StepState& state, std::vector<CollectedOutput> outputs, const RequestContext& context) {
  store_outputs(state, std::move(outputs), context);
  if (state.audited) return audit(state, context);
  if (state.result.refusal.empty()) return record(state, context);
  state.result.witnessed.set = nullptr;
  // A probe that finds a wrapper is followed by another one, through the wrapper.
  const StepSpec& spec = state.spec();
  const bool is_asked_again = spec.prints_plan && !spec.through && state.result.refusal == reason::kWrapper;
  if (!is_asked_again) note_not_stored(state, context);
}

void record_together(StepState& state, const std::vector<inputs::Witnessed>& runs, const RequestContext& context) {
  cache::Examined examined = context.services.actions.examine(runs, cache::Whole::step, context.request.from);
  if (!examined.agrees) return state.result.refuse({reason::kInputChanged, examined.changed});
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
  record(state, context);
}

void note_not_stored(const StepState& state, const RequestContext& context) {
  const StepResult& result = state.result;
  const std::string what = context.of_object(state.spec().label);
  const std::string file = result.refusal_detail.empty() ? "" : ": " + result.refusal_detail;
  context.services.counters.not_stored(result.refusal, what + file);
  context.services.log.info(what + " is not stored: " + result.refusal + file);
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
  if (!state.result.filled) return;
  store_bytes(state, state.result.filled->bytes, {.parts = state.result.filled->parts}, context);
}

}  // namespace hipcache::daemon
