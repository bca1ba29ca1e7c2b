#include "daemon/run/split_codegen_run.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/audit/audit.h"
#include "daemon/audit/comparison.h"
#include "daemon/request/keys.h"
#include "daemon/run/collected_output.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/relocatability.h"
#include "daemon/run/sight.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/hip/bitcode_digest.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kTimeLimit = 64;       // bytes of a file that holds a time
constexpr std::uint64_t kSaidLimit = 1 << 20;  // bytes of a file that should be empty
// Processor time of a back end that shared caches get by itself. Its code object is also in the step's result, so a
// second copy must be worth its bytes: it serves machines that ran the front end on an edited source.
constexpr std::uint64_t kSharedBackEndUs = 500'000;

StepSpec codegen_part_of(const StepSpec& whole, const char* name, const std::vector<hip::StepCommand>& commands,
                         const RequestDirectory& directory) {
  StepSpec part;
  part.label = whole.label + " " + name;
  part.names = whole.names;
  part.named_roots = whole.named_roots;
  part.maps = whole.maps;
  for (const hip::StepCommand& command : commands)
    part.commands.push_back({command.program, hip::in_directory(command.argv, directory.path())});
  return part;
}

// One start of the compiler, which leaves the bitcode beside the code object.
StepSpec both_parts_of(const StepSpec& whole, const SplitCodegenCost& cost, const RequestDirectory& directory) {
  const hip::SplitCodegen& parts = *whole.split_codegen;
  StepSpec both = codegen_part_of(whole, "in two processes", {parts.both}, directory);
  both.outputs = {{hip::kCodeObject, whole.outputs.front().name, ""}, {"bitcode", parts.bitcode, ""}};
  both.part = {.known_us = cost.known_us(), .reads_sources = true};
  return both;
}

// If the source is below no root, its bitcode names it in the same way everywhere, and the digest need not look for
// roots.
Roots roots_of_source(const Request& request) {
  const Roots& roots = request.from.roots;
  return roots.holding(request.invocation.source) == 0 ? Roots() : roots;
}

const cache::Output* code_object(const StepState& back) { return back.result.output(hip::kCodeObject); }

// The path of a file that src/trace/preload/then.c left beside the run's trace.
std::string left_beside(const protocol::StepDone& report, const char* ending, const RequestDirectory& directory) {
  return directory.file(std::to_string(report.step) + ".trace" + ending);
}

// The processor time of the front end; nothing if it did not succeed.
std::optional<std::uint64_t> time_of_first(const protocol::StepDone& report, const RequestDirectory& directory) {
  const Result<std::string> text = read_file(left_beside(report, ".first", directory), kTimeLimit);
  std::uint64_t time = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), time).ec != std::errc()) return std::nullopt;
  return time;
}

bool second_was_silent(const protocol::StepDone& report, const RequestDirectory& directory) {
  const Result<std::string> said = read_file(left_beside(report, ".said", directory), kSaidLimit);
  return said && said->empty();
}

bool is_silent(const protocol::StepDone& report) { return report.stdout_text.empty() && report.stderr_text.empty(); }

// The same report without its messages.
protocol::StepDone silent(protocol::StepDone report) {
  report.stdout_text.clear();
  report.stderr_text.clear();
  return report;
}

// Whether the front end rejected the source, which it does regardless of its output format: clang prints the error
// count last. Any other ending may be trouble with the bitcode.
bool is_error_of_source(const protocol::StepDone& report, const hip::SplitCodegen& split_codegen) {
  constexpr std::string_view kLast = " generated when compiling for ";
  const std::string& text = report.stderr_text;
  const std::size_t last = text.rfind(kLast);
  return report.exit_code == 1 && report.spawn_error.empty() && report.doubt.empty() && last != std::string::npos &&
         text.find('\n', last) == text.size() - 1 && text.find(split_codegen.bitcode) == std::string::npos;
}

}  // namespace

SplitCodegenRun::SplitCodegenRun(StepState& whole, const StepContext& context)
    : whole_(whole),
      context_(context),
      services_(context.services),
      parts_(*whole.spec().split_codegen),
      noted_(context.services.split_codegen_ledger.cost(whole.spec().key)),
      cost_(noted_),
      both_(both_parts_of(whole.spec(), cost_, context.directory)),
      front_(codegen_part_of(whole.spec(), "front end", {parts_.front}, context.directory)),
      next_(&whole) {
  if (!parts_.runs_as_one && !whole.audited) next_ = cost_.was_split() ? &front_ : &both_;
}

Status SplitCodegenRun::prepare() { return prepare_plainly(whole_, context_); }

// A failure of the split run is not the step's failure: the step then runs as one. A worker's run that is of no use is
// as if it had not been.
Status SplitCodegenRun::take_in(const protocol::StepDone& report) {
  const StepState* ran = std::exchange(next_, nullptr);
  if (ran == &whole_) return take_whole(report);
  Status taken = ran == &both_ ? take_both(report) : ran == &front_ ? take_front(report) : take_back(report);
  if (taken) return done();
  if (report.is_of_worker) {
    next_ = ran;
    if (back_) back_->result = {};
    return taken;
  }
  services_.log.info(context_.of_object(ran->spec().label + ": " + taken.error().message + "; it runs as one"));
  next_ = &whole_;
  return done();
}

Status SplitCodegenRun::take_both(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  const std::optional<std::uint64_t> front_us = time_of_first(report, context_.directory);
  if (!front_us && is_error_of_source(report, parts_)) return take_whole(report);
  if (!front_us) return Error{"the front end failed"};
  services_.counters.front(false);
  services_.counters.back(false);
  if (report.exit_code != 0 || !second_was_silent(report, context_.directory)) {
    cost_.refuse();
    return Error{"the back end has something to say"};
  }
  const std::uint64_t back_us = report.processor_us - std::min(*front_us, report.processor_us);
  if (Status taken = take_bitcode(report, ".trace.then", back_us >= kSharedBackEndUs); !taken) return taken;
  if (Status taken = take_in_plainly(*back_, silent(report), context_); !taken) return taken;
  front_.result.duration_us = 0;  // the back end's times cover both
  front_.result.processor_us = 0;
  cost_.ran_apart(*front_us, back_us);
  return join_or_audit();
}

// Takes in the front end's run: its messages, and the digest of its bitcode for the back end's key. `trace_ending`: of
// the back end's trace. `is_shared`: whether shared caches are asked about the back end and get its result.
Status SplitCodegenRun::take_bitcode(const protocol::StepDone& report, const char* trace_ending, bool is_shared) {
  const RequestDirectory& directory = context_.directory;
  if (Status texts = take_texts(front_, report, context_); !texts) return texts;
  const Result<std::string> bitcode = read_file(directory.file(parts_.bitcode), kOutputLimit);
  if (!bitcode) return bitcode.error();
  front_.preamble = whole_.preamble;
  front_report_ = report;
  front_.result.duration_us = report.duration_us;
  front_.result.processor_us = report.processor_us;
  bitcode_ = hip::bitcode_digest(*bitcode, roots_of_source(context_.request));
  StepSpec back = codegen_part_of(whole_.spec(), "back end", parts_.back, directory);
  back.key = back_key(context_.request, parts_, bitcode_);
  back.key.is_shared = is_shared;
  back.outputs = {{hip::kCodeObject, whole_.spec().outputs.front().name, ""}};
  back.trace_ending = trace_ending;
  back.part = {.known_us = cost_.back_us()};
  back_.emplace(std::move(back));
  return done();
}

Status SplitCodegenRun::take_front(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  if (is_error_of_source(report, parts_)) return take_whole(report);
  if (report.exit_code != 0) return Error{"it failed"};
  if (Status taken = take_bitcode(report, ".trace", true); !taken) return taken;
  services_.counters.front(false);
  std::optional<cache::Hit> hit = context_.look_up(back_->spec().key, back_->spec().suffices());
  if (!hit) {
    next_ = &*back_;
    return done();
  }
  services_.log.info(context_.of_object(back_->spec().label) + " does not run: its bitcode is known");
  services_.counters.back(true);
  services_.counters.saved(hit->result.duration_us, hit->result.processor_time());
  back_->take(std::move(*hit));
  cost_.spared_back(report.processor_us);
  if (Status brought = materialise(*back_, back_->spec().outputs.front(), context_); !brought) return brought;
  return join();
}

Status SplitCodegenRun::take_back(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  services_.counters.back(false);
  if (report.exit_code != 0 || !is_silent(report)) {
    cost_.refuse();
    return Error{"it has something to say"};
  }
  if (Status taken = take_in_plainly(*back_, report, context_); !taken) return taken;
  cost_.ran_apart(front_report_.processor_us, report.processor_us);
  return join_or_audit();
}

Status SplitCodegenRun::join_or_audit() {
  const double share = context_.request.settings.audit.value_or(config::kAuditedBackEnds);
  if (!services_.audit_draw.draw(share)) return join();
  audits_ = true;
  next_ = &whole_;
  return done();
}

// Makes the step's result of both runs. It depends on what both runs read.
Status SplitCodegenRun::join() {
  const StepSpec& spec = whole_.spec();
  Result<std::string> bytes =
      read_output(*back_, back_->spec().outputs.front(), context_.directory.path(), services_.store);
  if (!bytes) return bytes.error();
  const std::vector<CollectedOutput> code{{.role = hip::kCodeObject, .bytes = std::move(*bytes)}};
  take_trace(front_, front_report_, relocatability_of(front_.spec(), code, front_.result, context_.request.from),
             sight_of(spec.commands.front().argv, code, front_.result, context_.request.from), context_);

  if (Status proved = check_if_of_worker(front_report_, front_.result); !proved) return proved;

  whole_.ended = true;
  StepResult& result = whole_.result;
  result.take(std::move(front_.result));
  result.duration_us += back_->result.duration_us;
  result.processor_us = result.processor_time() + back_->result.processor_time();
  result.bitcode = bitcode_;
  result.outputs = {*code_object(*back_)};
  result.outputs.front().name = spec.outputs.front().role;
  const StepResult& refused = !front_.result.is_refused() ? back_->result : front_.result;
  result.refusal = refused.refusal;
  result.unusable = refused.unusable;
  if (!result.is_refused()) record_together(whole_, {front_.result.witnessed, back_->result.witnessed}, context_);
  // A step counts once: if the back end could not be stored, and with it the step, that was counted when it was taken
  // in.
  if (result.is_refused() && !back_->result.is_refused()) note_not_stored(whole_, context_);
  note_cost();
  return done();
}

Status SplitCodegenRun::take_whole(const protocol::StepDone& report) {
  if (Status taken = take_in_plainly(whole_, report, context_); !taken) return taken;
  if (audits_) audit();
  if (!whole_.succeeded()) return done();
  if (!audits_) cost_.ran_as_one(report.processor_us);
  note_cost();
  return done();
}

void SplitCodegenRun::audit() {
  services_.counters.audit();
  cache::ActionResult apart = front_.result;
  apart.outputs = {*code_object(*back_)};
  apart.outputs.front().name = whole_.spec().outputs.front().role;
  const std::vector<DifferentPart> differences = differences_of(parts_of(apart), parts_of(whole_.result));
  if (differences.empty()) return;
  const std::string why = context_.of_object(whole_.spec().label) + ": an audit found that the compiler makes " +
                          "something else of this source in two processes: " + to_text(differences.front(), "");
  services_.log.error(why + "; with its options it is run as one from now on");
  services_.counters.error();
  refute(*parts_.proof, why, context_);
}

void SplitCodegenRun::note_cost() const {
  services_.split_codegen_ledger.note_run(whole_.spec().key, cost_group_key(context_.request), noted_, cost_);
}

}  // namespace hipcache::daemon
