#include "daemon/execute/remote_steps.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <variant>

#include "daemon/audit/audit.h"
#include "daemon/execute/action.h"
#include "daemon/shared/split_codegen_worth.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/inputs/file_clock.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kTraceLimit = 256u << 20;
constexpr std::uint64_t kMessagesLimit = 2u << 20;
constexpr int kKilled = 128;  // exit codes from here on mean a signal, as in shells

// An output of the action by its name in the request's directory; null if the command did not make it.
const protocol::ExecuteOutput* made(const protocol::RemoteExecuted& answer, const std::string& path) {
  const auto found = std::find_if(answer.outputs.begin(), answer.outputs.end(),
                                  [&](const protocol::ExecuteOutput& output) { return "/" + output.path == path; });
  return found == answer.outputs.end() ? nullptr : &*found;
}

// What the step's commands printed becomes the answer's messages. An error with what something else on the worker
// printed: hipcache cannot know which of the lines the compiler would have printed here.
std::optional<Unproved> take_messages(protocol::RemoteExecuted& answer, const std::string& trace) {
  const std::string noise = answer.stderr_text.empty() ? answer.stdout_text : answer.stderr_text;
  const MessageFiles files = message_files_of(trace);
  for (const auto& [path, text] :
       {std::pair(files.out, &answer.stdout_text), std::pair(files.error, &answer.stderr_text)}) {
    const protocol::ExecuteOutput* one = made(answer, path);
    if (one == nullptr && !noise.empty()) break;
    if (one == nullptr) return Unproved{"lacks-an-output", "the messages"};
    Result<std::string> said = read_file(one->file, kMessagesLimit, "the messages");
    if (!said) return Unproved{"lacks-an-output", said.error().message};
    *text = std::move(*said);
  }
  if (noise.empty()) return std::nullopt;
  return Unproved{"worker-noise", first_line(noise)};
}

std::string trace_of(std::uint32_t number, const RequestDirectory& directory) {
  return directory.file(std::to_string(number) + ".trace");
}

// Of a compiler that was stopped: clang writes "x-1a2b3c4d.o.tmp" for "x.o", and lld "x.out.tmp1a2b3c4". They would
// count as files that the compiler left for its user.
void remove_unfinished(const StepSpec& spec, const RequestDirectory& directory) {
  std::set<std::string> known;
  add_files_of(spec, directory, known);
  const Result<std::vector<std::string>> names = list_directory(directory.path());
  if (!names) return;
  for (const std::string& name : *names)
    for (const std::string& one : known) {
      const std::string stem = one.substr(0, one.rfind('.')) + "-";
      const bool is_clangs = name.starts_with(stem) && name.ends_with(".tmp");
      if (is_clangs || name.starts_with(one + ".tmp")) unlink(directory.file(name).c_str());
    }
}

// The engine's clocks may say anything. No part of the action took longer than the whole.
events::AtEngine seen_of(const protocol::RemoteExecuted& answer, std::uint64_t whole_us) {
  return {.worker = answer.worker,
          .bytes_sent = answer.bytes_sent,
          .bytes_received = answer.bytes_received,
          .whole_us = whole_us,
          .queue_us = std::min(answer.queue_us, whole_us),
          .staging_us = std::min(answer.staging_us, whole_us),
          .execution_us = std::min(answer.execution_us, whole_us)};
}

bool reads_sources(const StepSpec& part) { return !part.part || part.part->reads_sources; }

Digest digest_of_outputs(const StepSpec& spec, const auto& digest_of_one) {
  Hasher all("outputs of a worker");
  for (const hip::StepOutput& output : spec.outputs)
    if (output.role != hip::kDepfile) all.field(output.role).field(digest_of_one(output));
  return all.finish();
}

}  // namespace

bool RemoteSteps::is_on(const RequestContext& context) { return why_none_is_sent(context).empty(); }

RemoteSteps::RemoteSteps(const StepContext& context, int wake_fd)
    : context_(context), services_(context.services), engine_(*context.services.engine), wake_fd_(wake_fd) {}

RemoteSteps::~RemoteSteps() { withdraw(); }

RemoteSteps::Sent::~Sent() {
  engine.forget(id);
  [[maybe_unused]] const Status removed = remove_tree(output_directory);
}

bool RemoteSteps::wants(const OpenStep& step) {
  const StepState& state = *step.state;
  const StepState& part = step.part();
  if (&part == &state ? step.is_begun : !part.spec().part) return false;
  if (reads_sources(part.spec()) && (is_scanning_ || (scan_ && names_.empty()))) return false;
  if (state.audited || not_again_.contains(&state) || has(state)) return false;
  if (!may_be_sent(state.spec()) || !engine_.is_open()) return false;
  return is_worth_sending(cost_of(step), engine_.url());
}

std::uint64_t RemoteSteps::cost_of(const OpenStep& step) {
  const std::uint64_t expected = expected_us(step);
  return expected != 0 ? expected : engine_.typical_us();
}

std::uint64_t RemoteSteps::expected_us(const OpenStep& step) {
  const std::optional<StepSpec::Part>& part = step.part().spec().part;
  auto kept = known_us_.find(step.state);
  if (!part && kept == known_us_.end())
    kept = known_us_.emplace(step.state, services_.split_codegen_ledger.cost(step.state->spec().key).known_us()).first;
  if (const std::uint64_t known = part ? part->known_us : kept->second; known != 0) return known;
  return longest_here_us_;
}

void RemoteSteps::look_in_history() {
  if (names_.empty() && !std::exchange(looked_in_history_, true)) names_ = names_in_history(context_);
}

const StepState* RemoteSteps::scan_for(const OpenStep& step) {
  look_in_history();
  if (!names_.empty() || scan_ || !reads_sources(step.part().spec())) return nullptr;
  std::optional<StepSpec> spec = scan_of(step.state->spec());
  if (!spec) {
    not_again_.insert(step.state);
    return nullptr;
  }
  is_scanning_ = true;
  return &scan_.emplace(*std::move(spec));
}

void RemoteSteps::take_scan(const protocol::StepDone& report) {
  is_scanning_ = false;
  const Result<std::string> bytes = read_file(trace_of(report.step, context_.directory), kTraceLimit);
  const Result<std::vector<trace::Record>> records = bytes ? trace::read_records(*bytes) : bytes.error();
  if (records) names_.add(*records, context_.request.from.working_directory);
}

bool RemoteSteps::send(OpenStep& step, std::uint32_t number, RunningSteps::Entry in_list) {
  const StepSpec& spec = step.part().spec();
  const auto leave = [&](const std::string& why) {
    services_.log.info(context_.of_object(spec.label) + " is not sent: " + why);
    not_again_.insert(step.state);
    return false;
  };
  const InputNames no_sources{.paths = {}, .variables = names_.variables};
  const InputNames& names = reads_sources(spec) ? names_ : no_sources;
  if (!step.is_begun) {
    step.clock = StepClock();
    if (Status prepared = step.its_run().prepare(); !prepared) return leave(prepared.error().message);
  }
  Result<protocol::RemoteExecute> action =
      action_of(spec, names, trace_of(number, context_.directory), context_, engine_);
  if (!action) return leave(action.error().message);
  Result<std::vector<std::string>> platform = platform_of(step.state->spec(), context_, engine_);
  if (!platform) return leave(platform.error().message);
  action->platform = *std::move(platform);
  action->output_directory = context_.directory.file(std::to_string(number) + ".worker");
  action->deadline_ms = static_cast<std::uint64_t>(deadline_of(expected_us(step)).count());
  if (mkdir(action->output_directory.c_str(), S_IRWXU) != 0) return leave("there is no directory for its outputs");
  std::string outputs = action->output_directory;
  std::set<std::string> variables = variables_of(*action, context_.request.from);
  const std::optional<std::uint64_t> id = engine_.start(*std::move(action), wake_fd_);
  if (!id) {
    rmdir(outputs.c_str());
    return leave("the engine is not there");
  }
  Sent& sent = sent_.emplace_back(engine_, *id, std::move(outputs), std::move(step), std::move(in_list));
  sent.number = number;
  sent.variables = std::move(variables);
  services_.counters.executed_sent();
  return true;
}

std::vector<RemoteSteps::Ended> RemoteSteps::take_answers() {
  std::vector<Ended> ended;
  for (Entry sent = sent_.begin(); sent != sent_.end();) {
    const Answer answer = judge(*sent);
    if (answer == Answer::awaited || (answer == Answer::proved && !sent->alone)) {
      ++sent;
      continue;
    }
    bool is_taken = false;
    if (answer == Answer::proved) {
      if (const std::optional<Digest> outputs = draw_for_audit(*sent)) {
        sent->state->engine.outcome = "audited";
        audited_.insert_or_assign(sent->state, *outputs);
        not_again_.insert(sent->state);
      } else if (const std::optional<Unproved> unproved = take(*sent)) {
        fail(*sent, true, unproved->reason, unproved->path);
        if (!sent->is_begun) sent->alone->run.reset();
      } else {
        is_taken = true;
      }
    }
    if (sent->alone) ended.push_back({*std::move(sent->alone), is_taken});
    sent = sent_.erase(sent);
  }
  return ended;
}

std::vector<const StepState*> RemoteSteps::take_winners() {
  std::vector<const StepState*> winners;
  for (Entry sent = sent_.begin(); sent != sent_.end();) {
    const Entry one = sent++;
    if (!one->proved || one->alone || std::exchange(one->is_told, true)) continue;
    if (const std::optional<Digest> outputs = draw_for_audit(*one)) {  // the run here goes on, and is compared
      one->state->engine.outcome = "audited";
      audited_.insert_or_assign(one->state, *outputs);
      not_again_.insert(one->state);
      sent_.erase(one);
    } else {
      winners.push_back(one->state);
    }
  }
  return winners;
}

bool RemoteSteps::has_alone() const {
  return std::any_of(sent_.begin(), sent_.end(), [](const Sent& sent) { return sent.alone.has_value(); });
}

OpenStep RemoteSteps::take_oldest_alone() {
  const auto sent = std::find_if(sent_.begin(), sent_.end(), [](const Sent& one) { return one.alone.has_value(); });
  OpenStep step = *std::move(sent->alone);
  sent->alone.reset();
  return step;
}

RemoteSteps::Entry RemoteSteps::find(const StepState& state) {
  return std::find_if(sent_.begin(), sent_.end(), [&](const Sent& sent) { return sent.state == &state; });
}

bool RemoteSteps::has(const StepState& state) const {
  return std::any_of(sent_.begin(), sent_.end(), [&](const Sent& sent) { return sent.state == &state; });
}

bool RemoteSteps::take_winner(const StepState& state) {
  const Entry sent = find(state);
  if (sent == sent_.end()) return false;
  remove_unfinished(sent->run->next()->spec(), context_.directory);
  const std::optional<Unproved> unproved = take(*sent);
  if (unproved) fail(*sent, true, unproved->reason, unproved->path);
  sent_.erase(sent);
  return !unproved;
}

void RemoteSteps::note_lost(StepState& state) {
  if (!has(state)) return;
  state.engine.outcome = "lost";
  services_.counters.executed_lost();
  drop(state);
}

void RemoteSteps::drop(const StepState& state) {
  if (const Entry sent = find(state); sent != sent_.end()) sent_.erase(sent);
}

void RemoteSteps::note_end_here(const StepState& state) {
  const StepSpec& spec = state.spec();
  if (!state.succeeded() || state.result.witnessed.set == nullptr) return;
  names_.add(*state.result.witnessed.set, context_.request.from);
  if (state.hit || spec.is_proof || spec.planned == nullptr || spec.planned->kind != hip::StepKind::device) return;
  longest_here_us_ = std::max(longest_here_us_, state.result.processor_time());
  engine_.note_cost(state.result.processor_time());
  const auto audited = audited_.extract(&state);
  if (!audited) return;
  const Digest here = digest_of_outputs(spec, [&](const hip::StepOutput& output) {
    const cache::Output* one = state.made(output);
    return one == nullptr ? Digest() : one->blob;
  });
  if (here == audited.mapped()) return;
  services_.counters.executed_differs();
  services_.counters.error();
  engine_.close("an audit of " + context_.of_object(spec.label) + " found that a worker made something else");
}

// Whether the answer is in, and what it is worth. Of a command that failed, nothing is shown: it runs here.
RemoteSteps::Answer RemoteSteps::judge(Sent& sent) {
  if (sent.proved) return Answer::proved;
  std::optional<protocol::RemoteExecuted> answer = engine_.take(sent.id);
  if (!answer) return Answer::awaited;
  const events::AtEngine& seen = sent.state->engine = seen_of(*answer, sent.clock.elapsed_us());
  if (answer->outcome == protocol::ExecuteOutcome::overdue) engine_.note_overdue();
  if (answer->outcome == protocol::ExecuteOutcome::expired && engine_.note_expired()) {
    note_in_vain(sent, false, "engine-full", "");
  } else if (answer->outcome != protocol::ExecuteOutcome::done) {
    engine_.note_failure(answer->detail);
    fail(sent, false, reason_of(answer->outcome), answer->detail);
  } else if (const std::optional<Unproved> noisy = take_messages(*answer, trace_of(sent.number, context_.directory));
             noisy && answer->exit_code == 0) {
    engine_.note_failure("a result is of no use: " + noisy->reason + " " + noisy->path);
    fail(sent, false, noisy->reason, noisy->path);
  } else if (answer->exit_code != 0) {
    const bool is_killed = answer->exit_code < 0 || answer->exit_code >= kKilled;
    if (is_killed) engine_.note_failure("a signal ended a command");
    fail(sent, false, is_killed ? "worker-signal" : "worker-exit",
         noisy ? noisy->path : first_line(answer->stderr_text));
  } else if (const std::optional<Unproved> unproved = prove(sent, *answer)) {
    engine_.note_failure("a result is not proved: " + unproved->reason + " " + unproved->path);
    fail(sent, true, unproved->reason, unproved->path);
  } else {
    engine_.note_success(std::chrono::microseconds(seen.whole_us),
                         std::chrono::microseconds(seen.staging_us + seen.execution_us));
    sent.proved = std::move(answer);
    return Answer::proved;
  }
  return Answer::useless;
}

// Leaves the trace of a run here. The clock is read before anything is compared: a file that changes from now on makes
// the run one that cannot be recorded.
std::optional<Unproved> RemoteSteps::prove(Sent& sent, const protocol::RemoteExecuted& answer) const {
  const std::string name = trace_of(sent.number, context_.directory);
  sent.started_ns = inputs::file_clock()();
  const StepSpec& spec = sent.run->next()->spec();
  for (const hip::StepOutput& output : spec.outputs)
    if (made(answer, context_.directory.file(output.name)) == nullptr && !output.may_be_missing)
      return Unproved{"lacks-an-output", output.name};
  const TraceFiles traces = trace_files_of(spec);
  for (const std::string& ending : traces.others)
    if (made(answer, name + ending) == nullptr) return Unproved{"no-trace", "none"};
  for (const std::string& ending : traces.traces)
    if (std::optional<Unproved> unproved = prove(sent, made(answer, name + ending), name + ending)) return unproved;
  return std::nullopt;
}

std::optional<Unproved> RemoteSteps::prove(const Sent& sent, const protocol::ExecuteOutput* traced,
                                           const std::string& name) const {
  const Result<std::string> bytes =
      traced == nullptr ? Result<std::string>(Error{"none"}) : read_file(traced->file, kTraceLimit);
  const Result<std::vector<trace::Record>> records = bytes ? trace::read_records(*bytes) : bytes.error();
  if (!records) return Unproved{"no-trace", records.error().message};
  const ThisMachine here{context_.request.from, context_.directory.path(), engine_.contents(), services_.file_system};
  auto local = local_trace(*records, here, sent.variables, sent.started_ns);
  if (auto* unproved = std::get_if<Unproved>(&local)) return std::move(*unproved);
  const Status written = replace_file(name, trace::encode(std::get<std::vector<trace::Record>>(local)));
  return written ? std::nullopt : std::optional(Unproved{"no-trace", written.error().message});
}

// Puts the files where a run here leaves them, and goes the way of such a run. REQUIRES: the result is proved.
std::optional<Unproved> RemoteSteps::take(Sent& sent) {
  StepState& state = *sent.state;
  const protocol::RemoteExecuted& answer = *sent.proved;
  const StepSpec& spec = sent.run->next()->spec();
  std::vector<std::string> paths;
  for (const hip::StepOutput& output : spec.outputs)
    if (std::string path = context_.directory.file(output.name); made(answer, path) != nullptr)
      paths.push_back(std::move(path));
  for (const std::string& ending : trace_files_of(spec).others)
    paths.push_back(trace_of(sent.number, context_.directory) + ending);
  for (const std::string& path : paths)
    if (std::rename(made(answer, path)->file.c_str(), path.c_str()) != 0) return Unproved{"lacks-an-output", path};
  events::AtEngine& engine = state.engine;
  const protocol::StepDone report{.step = sent.number,
                                  .started_ns = sent.started_ns,
                                  .duration_us = engine.execution_us,
                                  .processor_us = engine.execution_us,
                                  .stdout_text = answer.stdout_text,
                                  .stderr_text = answer.stderr_text,
                                  .is_of_worker = true};
  if (Status taken = sent.run->take_in(report); !taken) {
    const bool is_refused = state.result.is_refused();
    Unproved unproved{is_refused ? text_of(state.result.refusal.reason) : "not-recorded",
                      is_refused ? state.result.refusal.detail : taken.error().message};
    state.result = StepResult{};
    state.ended = false;
    return unproved;
  }
  engine.outcome = "won";
  services_.counters.executed_won({.bytes_sent = engine.bytes_sent,
                                   .bytes_received = engine.bytes_received,
                                   .queue_us = engine.queue_us,
                                   .staging_us = engine.staging_us,
                                   .execution_us = engine.execution_us});
  return std::nullopt;
}

// A share of the results that could be taken is made here instead, and compared at its end. Of a part, only the code
// object counts.
std::optional<Digest> RemoteSteps::draw_for_audit(const Sent& sent) {
  if (!services_.audit_draw.draw(engine_.url().audit)) return std::nullopt;
  return digest_of_outputs(sent.state->spec(), [&](const hip::StepOutput& output) {
    const protocol::ExecuteOutput* one = made(*sent.proved, context_.directory.file(output.name));
    const Result<std::string> bytes = one == nullptr ? Result<std::string>("") : read_file(one->file, kOutputLimit);
    return bytes && one != nullptr ? digest_of(*bytes) : Digest();
  });
}

// The path is sent the next time, if it is one that may be.
void RemoteSteps::fail(const Sent& sent, bool is_proof, const std::string& reason, const std::string& detail) {
  not_again_.insert(sent.state);
  if (is_proof && detail.starts_with('/')) names_.paths.insert(detail);
  if (reason == "variable-not-sent") names_.variables.insert(detail);
  note_in_vain(sent, is_proof, reason, detail);
}

void RemoteSteps::note_in_vain(const Sent& sent, bool is_proof, const std::string& reason, const std::string& detail) {
  sent.state->engine.outcome = is_proof ? "not-proved" : "failed";
  sent.state->engine.reason = reason;
  sent.state->engine.detail = detail;
  const std::string what = context_.of_object(sent.state->spec().label);
  services_.counters.executed_in_vain(is_proof, reason, detail.empty() ? what : what + ": " + detail, detail);
  services_.log.info(what + " runs here: a worker's result is of no use (" + reason + " " + detail + ")");
}

}  // namespace hipcache::daemon
