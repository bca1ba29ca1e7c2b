#include "daemon/halves_run.h"

#include <string>
#include <utility>

#include "daemon/keys.h"
#include "daemon/made.h"
#include "daemon/ties.h"
#include "hipcache/base/files.h"
#include "hipcache/plan/bitcode_digest.h"

namespace hipcache::daemon {
namespace {

HalvesCost known_cost(const StepWork& whole, const Services& services) {
  const Result<std::optional<std::string>> stored = services.store.action(cost_key(whole.key));
  if (!stored || !*stored) return {};
  const Result<HalvesCost> cost = HalvesCost::decode(**stored);
  return cost ? *cost : HalvesCost();
}

StepWork half_of(const StepWork& whole, const char* name, const std::vector<plan::StepCommand>& commands,
                 const RequestDirectory& directory) {
  StepWork half;
  half.label = whole.label + " " + name;
  half.named_roots = whole.named_roots;
  half.maps = whole.maps;
  for (const plan::StepCommand& command : commands)
    half.commands.push_back({command.program, plan::in_directory(command.argv, directory.path())});
  return half;
}

// Where the source lies in no root, its bitcode has one name for it everywhere, and is not looked into.
Roots roots_of_source(const Request& request) {
  const Roots& roots = request.from.roots;
  return roots.holding(request.invocation.source) == 0 ? Roots() : roots;
}

bool is_silent(const StepWork& work) { return work.result.stdout_text.empty() && work.result.stderr_text.empty(); }

const action::Output* code_object(const StepWork& back) { return back.result.output(plan::kCodeObject); }

}  // namespace

HalvesRun::HalvesRun(StepWork& whole, const Request& request, const Services& services,
                     const RequestDirectory& directory, store::Lease& lease)
    : whole_(whole),
      request_(request),
      services_(services),
      directory_(directory),
      lease_(lease),
      noted_(known_cost(whole, services)),
      cost_(noted_),
      proof_key_(halves_proof_key(request, *whole.halves)),
      front_(half_of(whole, "front end", {whole.halves->front}, directory)),
      back_(half_of(whole, "back end", whole.halves->back, directory)),
      next_(&whole) {
  back_.outputs = {{plan::kCodeObject, whole.outputs.front().name, ""}};
  if (request.settings.readonly || request.settings.recache) return;
  if (cost_.pays() && !services.doubts.has(proof_key_.value)) next_ = &front_;
}

// Trouble with a half is none of the step's: that is then run as the driver has it.
Status HalvesRun::take_in(const protocol::StepDone& report) {
  const StepWork* ran = std::exchange(next_, nullptr);
  if (ran == &whole_) return take_whole(report);
  const Status taken = ran == &front_ ? take_front(report) : take_back(report);
  if (taken) return done();
  services_.log.info(ran->label + ": " + taken.error().message + "; it runs as one");
  next_ = &whole_;
  return done();
}

Status HalvesRun::take_front(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  if (report.exit_code != 0) return Error{"it failed"};
  if (Status texts = take_texts(front_, report, directory_); !texts) return texts;
  const Result<std::string> bitcode = read_file(directory_.file(whole_.halves->bitcode), kOutputLimit);
  if (!bitcode) return bitcode.error();
  services_.counters.front();
  front_report_ = report;
  front_.result.duration_us = report.duration_us;
  back_.key = back_key(request_, *whole_.halves, plan::bitcode_digest(*bitcode, roots_of_source(request_)));
  proved_ = services_.actions.look_up(proof_key_, action::any_result, request_.from, lease_).has_value();
  // To be compared it has to run: what a proof rests on is the run's to tell.
  std::optional<action::Hit> hit;
  if (proved_) hit = services_.actions.look_up(back_.key, back_.suffices(), request_.from, lease_);
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

Status HalvesRun::take_back(const protocol::StepDone& report) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  services_.counters.back(false);
  if (Status texts = take_texts(back_, report, directory_); !texts) return texts;
  if (report.exit_code != 0 || !is_silent(back_)) {
    cost_.refuse();
    return Error{"it has something to say"};
  }
  if (Status taken = daemon::take_in(back_, report, request_, directory_, services_, lease_); !taken) return taken;
  if (!back_.refusal.empty()) return Error{"its result cannot be stored: " + back_.refusal};
  cost_.ran_apart(front_report_.processor_us, report.processor_us);
  if (proved_) return join();
  proof_.emplace(half_of(whole_, "proof", whole_.halves->back, directory_));
  take_trace(*proof_, report, Ties(), request_, directory_, services_);
  next_ = &whole_;
  return done();
}

// What both made becomes the step's, and depends on what both saw.
Status HalvesRun::join() {
  const Result<std::string> bytes = read_output(back_, back_.outputs.front(), directory_.path(), services_.store);
  if (!bytes) return bytes.error();
  Ties ties(whole_.maps);
  ties.look_into(*bytes, request_.from);
  ties.look_into(front_.result.stdout_text, request_.from);
  ties.look_into(front_.result.stderr_text, request_.from);
  take_trace(front_, front_report_, ties, request_, directory_, services_);

  whole_.ended = true;
  whole_.descriptor = front_.descriptor;  // the back end opens nothing that the source names
  whole_.result = std::move(front_.result);
  whole_.result.duration_us += back_.result.duration_us;
  whole_.result.outputs = {*code_object(back_)};
  whole_.result.outputs.front().name = whole_.outputs.front().role;
  whole_.refusal = front_.refusal;
  whole_.refusal_detail = front_.refusal_detail;
  if (whole_.refusal.empty()) record_together(whole_, {front_.witnessed, back_.witnessed}, request_, services_);
  if (!whole_.refusal.empty()) note_not_stored(whole_, request_, services_);
  note_cost();
  return done();
}

Status HalvesRun::take_whole(const protocol::StepDone& report) {
  if (Status taken = daemon::take_in(whole_, report, request_, directory_, services_, lease_); !taken) return taken;
  if (!whole_.succeeded()) return done();
  if (proof_) {
    prove();
  } else {
    cost_.ran_as_one(report.processor_us);
  }
  note_cost();
  return done();
}

void HalvesRun::prove() {
  const action::Output* one = whole_.made(whole_.outputs.front());
  const action::Output* two = code_object(back_);
  const bool equal = one != nullptr && two != nullptr && one->blob == two->blob &&
                     whole_.result.stdout_text == front_.result.stdout_text &&
                     whole_.result.stderr_text == front_.result.stderr_text;
  if (!equal) {
    services_.log.info(whole_.label + ": the compiler makes something else in two processes; it is run as one");
    return services_.doubts.add(proof_key_.value);
  }
  if (!proof_->recordable()) return;
  proof_->key = proof_key_;
  record(*proof_, request_, services_);
}

// Of steps that take no time nobody needs to know more.
void HalvesRun::note_cost() {
  if (request_.settings.readonly || cost_ == noted_ || !(cost_.pays() || noted_ != HalvesCost())) return;
  if (Status noted = services_.store.put_action(cost_key(whole_.key), cost_.encode()); !noted)
    services_.log.warning("no cost is kept: " + noted.error().message);
}

}  // namespace hipcache::daemon
