#include "daemon/reply/reply_builder.h"

#include <fcntl.h>

#include <cstdint>

#include "daemon/request/reason.h"
#include "daemon/request/step_kinds.h"
#include "daemon/request/temporary_paths.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/depfile.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

// The final reply while it is built: the message, and the files to send with it.
struct Answer {
  protocol::Finish finish;
  std::vector<UniqueFd> files;
  std::size_t carried = 0;  // bytes of file contents in the message
};

bool is_portable_depfile(const cache::Output& output) {
  return output.name == hip::kPortableDepfile || output.name == hip::kPortableGccDepfile;
}

hip::DepfileForm form_of(const cache::Output& output) {
  return output.name == hip::kPortableGccDepfile ? hip::DepfileForm::gcc : hip::DepfileForm::clang;
}

Result<std::string> from_store(const cache::Output& output, const Request& request, store::Store& store) {
  Result<std::optional<std::string>> bytes = store.blob(output.blob);
  if (!bytes) return bytes.error();
  if (!*bytes) return Error{"blob " + output.blob.hex() + " is gone"};
  if (!is_portable_depfile(output)) return std::move(**bytes);
  const auto& names = request.invocation.output_names;
  std::optional<std::string> local =
      hip::local_depfile(**bytes, request.from.roots, form_of(output), names ? names->target : "");
  if (!local) return Error{"blob " + output.blob.hex() + " is no portable depfile"};
  return std::move(*local);
}

// Small files travel inside the message, which saves both sides five system calls.
bool is_carried(std::size_t size, const Answer& answer) { return size <= protocol::kContentLimit - answer.carried; }

Status add_bytes(protocol::PlacedOutput output, std::string_view bytes, Answer& answer) {
  if (is_carried(bytes.size(), answer)) {
    answer.carried += bytes.size();
    output.content = bytes;
  } else {
    Result<UniqueFd> memory = sealed_memory(bytes, "hipcache-output");
    if (!memory) return memory.error();
    answer.files.push_back(std::move(*memory));
  }
  answer.finish.outputs.push_back(std::move(output));
  return done();
}

Status add_stored(protocol::PlacedOutput placed, const cache::Output& output, const Request& request,
                  store::LocalStore& store, Answer& answer) {
  if (is_portable_depfile(output) || is_carried(output.size, answer)) {
    const Result<std::string> bytes = from_store(output, request, store);
    return bytes ? add_bytes(std::move(placed), *bytes, answer) : Status(bytes.error());
  }
  Result<std::optional<UniqueFd>> file = store.blob_file(output.blob);
  if (!file) return file.error();
  if (!*file) return Error{"blob " + output.blob.hex() + " is gone"};
  answer.files.push_back(std::move(**file));
  answer.finish.outputs.push_back(std::move(placed));
  return done();
}

Status add_file(protocol::PlacedOutput output, const std::string& path, Answer& answer) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("cannot open", path);
  answer.files.push_back(std::move(fd));
  answer.finish.outputs.push_back(std::move(output));
  return done();
}

Status add_made(protocol::PlacedOutput output, const StepState& step, const hip::StepOutput& file,
                const cache::Output& made, const Request& request, const RequestDirectory& directory,
                const Services& services, Answer& answer) {
  if (step.filled && !file.fatbin.empty()) return add_bytes(std::move(output), step.filled->bytes, answer);
  if (!step.hit) return add_file(std::move(output), directory.file(file.name), answer);
  return add_stored(std::move(output), made, request, services.store, answer);
}

// Adds the user's files of a step that succeeded. Their bytes are in the request's directory, in the store, or in
// `filled`.
Status add_placed(const StepState& step, const Request& request, const RequestDirectory& directory,
                  const Services& services, Answer& answer) {
  for (const hip::StepOutput& file : step.outputs) {
    if (file.place.empty()) continue;
    const cache::Output* made = step.given(file);
    if (made == nullptr) return Error{"the stored " + step.label + " has no " + file.role};
    protocol::PlacedOutput output{file.place, file.beside, made->executable};
    if (Status added = add_made(std::move(output), step, file, *made, request, directory, services, answer); !added)
      return added;
  }
  return done();
}

// The driver removes the outputs of a failed job. The job's depfile stays unless a header was not found.
void add_left_by_failure(const StepState& failed, const Request& request, const RequestDirectory& directory,
                         Answer& answer) {
  for (const hip::StepOutput& file : failed.outputs)
    if (!file.place.empty() && !file.beside) answer.finish.removed.push_back(file.place);
  if (!request.invocation.depfile || failed.failed_depfile.empty()) return;
  if (!add_file({*request.invocation.depfile, true, false}, directory.file(failed.failed_depfile), answer))
    answer.finish.removed.push_back(*request.invocation.depfile);
}

// The messages of a successful compile.
protocol::Finish messages_of(const cache::ActionResult& whole, const Request& request) {
  return {.exit_code = 0,
          .stdout_text = as_shown(whole.stdout_text, request),
          .stderr_text = as_shown(whole.stderr_text, request)};
}

bool send(Conclusion& conclusion, stats::Outcome outcome, const Answer& answer) {
  std::vector<int> descriptors;
  for (const UniqueFd& file : answer.files) descriptors.push_back(file.get());
  return conclusion.finish(outcome, answer.finish, descriptors);
}

bool compiler_said_why(const StepState& failed) {
  return failed.exit_code == 1 && failed.failed_command == 0 && failed.label != "bundle" && failed.refusal.empty() &&
         !failed.result.stderr_text.empty() && failed.doubt.empty();
}

void count_hits(const cache::ActionResult& whole, const compiler::Invocation& invocation, stats::Counters& counters) {
  if (invocation.route == compiler::Route::is_opaque) count_opaque(invocation.making, true, counters);
  for (const std::string& name : whole.steps) count_step(name, true, counters);
}

}  // namespace

Status answer_hit(Conclusion& conclusion, const Request& request, const cache::ActionResult& whole,
                  const Services& services) {
  Answer answer{.finish = messages_of(whole, request)};
  for (const cache::Output& output : whole.outputs) {
    protocol::PlacedOutput place{local_place(output.place, request), output.in_place, output.executable};
    place.in_place_if_empty = output.in_place_if_empty;
    if (Status added = add_stored(std::move(place), output, request, services.store, answer); !added) return added;
  }
  count_hits(whole, request.invocation, services.counters);
  services.counters.saved(whole.duration_us);
  send(conclusion, stats::Outcome::hit, answer);
  return done();
}

std::optional<Uncacheable> answer_success(Conclusion& conclusion, const Request& request, const StepGraph& graph,
                                          const RequestDirectory& directory, const cache::ActionResult& whole,
                                          stats::Outcome outcome, const Services& services) {
  Answer answer{.finish = messages_of(whole, request)};
  for (const auto& step : graph.steps())
    if (Status added = add_placed(*step, request, directory, services, answer); !added)
      return Uncacheable{reason::kStoreError, added.error().message};
  send(conclusion, outcome, answer);
  return std::nullopt;
}

std::optional<Uncacheable> answer_failure(Conclusion& conclusion, const Request& request, const StepGraph& graph,
                                          const std::string& driver_stderr, const RequestDirectory& directory,
                                          const Services& services) {
  const StepState& failed = *graph.failed();
  // A failed job leaves each kind of side file in a different state, so the compiler has to run.
  if (graph.writes_beside()) return Uncacheable{reason::kStepFailed, "with files beside the object"};
  // The driver prints a message of its own when a linker fails.
  if (request.invocation.links || !compiler_said_why(failed))
    return Uncacheable{reason::kStepFailed, failed.doubt.empty() ? failed.label : failed.label + ": " + failed.doubt};

  Answer answer{.finish = {.exit_code = failed.exit_code, .stdout_text = "", .stderr_text = driver_stderr}};
  protocol::Finish& finish = answer.finish;
  for (const auto& step : graph.steps()) {
    finish.stdout_text += step->result.stdout_text;
    finish.stderr_text += step->result.stderr_text;
    if (step.get() == &failed) break;
    if (Status added = add_placed(*step, request, directory, services, answer); !added)
      return Uncacheable{reason::kStoreError, added.error().message};
  }
  add_left_by_failure(failed, request, directory, answer);
  if (send(conclusion, stats::Outcome::miss, answer)) services.counters.failed_compile();
  return std::nullopt;
}

}  // namespace hipcache::daemon
