#include "daemon/steps/split_codegen_run.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/request/keys.h"
#include "daemon/steps/doubts.h"
#include "daemon/steps/output_recorder.h"
#include "daemon/steps/relocatability.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/bitcode_digest.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kTimeLimit = 64;       // bytes of a file that holds a time
constexpr std::uint64_t kSaidLimit = 1 << 20;  // bytes of a file that should be empty

StepState codegen_part_of(const StepState& whole, const char* name, const std::vector<hip::StepCommand>& commands,
                          const RequestDirectory& directory) {
  StepState half;
  half.label = whole.label + " " + name;
  half.named_roots = whole.named_roots;
  half.maps = whole.maps;
  for (const hip::StepCommand& command : commands)
    half.commands.push_back({command.program, hip::in_directory(command.argv, directory.path())});
  return half;
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

bool is_drawn(unsigned one_in) {
  thread_local std::minstd_rand numbers{std::random_device{}()};
  return one_in != 0 && std::uniform_int_distribution<unsigned>(1, one_in)(numbers) == 1;
}

}  // namespace

SplitCodegenCost known_cost(const cache::ActionKey& step, const Services& services) {
  const Result<std::optional<std::string>> stored = services.store.action(cost_key(step));
  if (!stored || !*stored) return {};
  const Result<SplitCodegenCost> cost = SplitCodegenCost::decode(**stored);
  return cost ? *cost : SplitCodegenCost();
}

SplitCodegenRun::SplitCodegenRun(StepState& whole, const Request& request, const Services& services,
                                 const RequestDirectory& directory, store::Lease& lease)
    : whole_(whole),
      request_(request),
      services_(services),
      directory_(directory),
      lease_(lease),
      noted_(known_cost(whole.key, services)),
      cost_(noted_),
      both_(codegen_part_of(whole, "in halves", {whole.split_codegen->both}, directory)),
      front_(codegen_part_of(whole, "front end", {whole.split_codegen->front}, directory)),
      back_(codegen_part_of(whole, "back end", whole.split_codegen->back, directory)),
      next_(&whole) {
  back_.outputs = {{hip::kCodeObject, whole.outputs.front().name, ""}};
  if (request.settings.readonly || request.settings.recache) return;
  if (!cost_.is_known()) {
    next_ = &both_;
  } else if (cost_.pays()) {
    next_ = &front_;
  }
}

// A failure of the split run is not the step's failure: the step then runs as one.
Status SplitCodegenRun::take_in(const protocol::StepDone& report) {
  const StepState* ran = std::exchange(next_, nullptr);
  if (ran == &whole_) return take_whole(report);
  const Status taken = ran == &both_ ? take_both(report) : ran == &front_ ? take_front(report) : take_back(report);
  if (taken) return done();
  services_.log.info(ran->label + ": " + taken.error().message + "; it runs as one");
  next_ = &whole_;
  return done();
}

Status SplitCodegenRun::take_both(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  const std::optional<std::uint64_t> front_us = time_of_first(report, directory_);
  if (!front_us && is_error_of_source(report, *whole_.split_codegen)) return take_whole(report);
  if (!front_us) return Error{"the front end failed"};
  services_.counters.front(false);
  services_.counters.back(false);
  if (report.exit_code != 0 || !second_was_silent(report, directory_)) {
    cost_.refuse();
    return Error{"the back end has something to say"};
  }
  if (Status taken = take_bitcode(report); !taken) return taken;
  back_.trace_ending = ".trace.then";
  if (Status taken = take_code(silent(report)); !taken) return taken;
  front_.result.duration_us = 0;  // the back end's duration covers both
  cost_.ran_apart(*front_us, report.processor_us - std::min(*front_us, report.processor_us));
  return join_or_audit();
}

// Takes in the front end's run: its messages, and the digest of its bitcode for the back end's key.
Status SplitCodegenRun::take_bitcode(const protocol::StepDone& report) {
  if (Status texts = take_texts(front_, report, directory_); !texts) return texts;
  const Result<std::string> bitcode = read_file(directory_.file(whole_.split_codegen->bitcode), kOutputLimit);
  if (!bitcode) return bitcode.error();
  front_report_ = report;
  front_.result.duration_us = report.duration_us;
  back_.key = back_key(request_, *whole_.split_codegen, hip::bitcode_digest(*bitcode, roots_of_source(request_)));
  return done();
}

Status SplitCodegenRun::take_front(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  if (is_error_of_source(report, *whole_.split_codegen)) return take_whole(report);
  if (report.exit_code != 0) return Error{"it failed"};
  if (Status taken = take_bitcode(report); !taken) return taken;
  services_.counters.front(false);
  std::optional<cache::Hit> hit = services_.actions.look_up(back_.key, back_.suffices(), request_.from, lease_);
  if (!hit) {
    next_ = &back_;
    return done();
  }
  services_.log.info(request_.invocation.object + ": " + back_.label + " does not run: its bitcode is known");
  services_.counters.back(true);
  services_.counters.saved(hit->result.duration_us);
  back_.hit = true;
  back_.witnessed = hit->witnessed();
  back_.result = std::move(hit->result);
  cost_.spared_back(report.processor_us);
  if (Status brought = materialise(back_, back_.outputs.front(), directory_, services_.store); !brought) return brought;
  return join();
}

Status SplitCodegenRun::take_back(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  services_.counters.back(false);
  if (report.exit_code != 0 || !is_silent(report)) {
    cost_.refuse();
    return Error{"it has something to say"};
  }
  if (Status taken = take_code(report); !taken) return taken;
  cost_.ran_apart(front_report_.processor_us, report.processor_us);
  return join_or_audit();
}

// Takes in the back end's run, which is stored by itself. If it cannot be stored, neither can the step.
Status SplitCodegenRun::take_code(const protocol::StepDone& report) {
  return daemon::take_in(back_, report, request_, directory_, services_, lease_);
}

Status SplitCodegenRun::join_or_audit() {
  if (!is_drawn(services_.audit)) return join();
  audits_ = true;
  next_ = &whole_;
  return done();
}

// Makes the step's result of both runs. It depends on what both runs read.
Status SplitCodegenRun::join() {
  const Result<std::string> bytes = read_output(back_, back_.outputs.front(), directory_.path(), services_.store);
  if (!bytes) return bytes.error();
  Relocatability ties(whole_.maps);
  ties.look_into(*bytes, request_.from);
  ties.look_into(front_.result.stdout_text, request_.from);
  ties.look_into(front_.result.stderr_text, request_.from);
  take_trace(front_, front_report_, ties, request_, directory_, services_);

  whole_.ended = true;
  whole_.descriptor = front_.descriptor;  // the back end opens no file that the source names
  whole_.result = std::move(front_.result);
  whole_.result.duration_us += back_.result.duration_us;
  whole_.result.outputs = {*code_object(back_)};
  whole_.result.outputs.front().name = whole_.outputs.front().role;
  const StepState& refused = front_.refusal.empty() ? back_ : front_;
  whole_.refusal = refused.refusal;
  whole_.refusal_detail = refused.refusal_detail;
  if (whole_.refusal.empty()) record_together(whole_, {front_.witnessed, back_.witnessed}, request_, services_);
  // A step counts once: if the back end is not stored, take_code() has counted that.
  if (!whole_.refusal.empty() && back_.refusal.empty()) note_not_stored(whole_, request_, services_);
  note_cost();
  return done();
}

Status SplitCodegenRun::take_whole(const protocol::StepDone& report) {
  if (Status taken = daemon::take_in(whole_, report, request_, directory_, services_, lease_); !taken) return taken;
  if (audits_) audit();
  if (!whole_.succeeded()) return done();
  if (!audits_) cost_.ran_as_one(report.processor_us);
  note_cost();
  return done();
}

void SplitCodegenRun::audit() {
  services_.counters.audit();
  const cache::Output* one = whole_.made(whole_.outputs.front());
  const cache::Output* two = code_object(back_);
  const bool equal = one != nullptr && two != nullptr && one->blob == two->blob &&
                     whole_.result.stdout_text == front_.result.stdout_text &&
                     whole_.result.stderr_text == front_.result.stderr_text;
  if (equal) return;
  const std::string why = request_.invocation.object + ": " + whole_.label +
                          ": an audit found that the compiler makes " +
                          "something else of this source in two processes";
  services_.log.error(why + "; with its options it is run as one from now on");
  services_.counters.error();
  refute(*whole_.split_codegen->proof, why, request_, services_, lease_);
}

void SplitCodegenRun::note_cost() {
  if (request_.settings.readonly || cost_ == noted_) return;
  if (Status noted = services_.store.put_action(cost_key(whole_.key), cost_.encode()); !noted)
    services_.log.warning("no cost is kept: " + noted.error().message);
}

}  // namespace hipcache::daemon
