#include "daemon/run/preamble_run.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <utility>

#include "daemon/audit/audit.h"
#include "daemon/record/collected_output.h"
#include "daemon/record/output_recorder.h"
#include "daemon/record/relocatability.h"
#include "daemon/record/sight.h"
#include "daemon/request/keys.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/remote_steps.h"
#include "daemon/run/step_report.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/depfile.h"

namespace hipcache::daemon {
namespace {

using Setting = config::Settings::Preamble;

constexpr std::uint64_t kHeaderLimit = 256u << 20;
constexpr std::uint64_t kDepfileLimit = 16u << 20;
constexpr std::size_t kMostTried = 24;  // orders; all of four declarations

Preambles::Names names_of(const StepSpec& spec, const RequestContext& context) {
  const bool is_host = spec.planned->kind == hip::StepKind::host;
  const Digest group = cost_group_key(context.request);
  Hasher source("source of a job");
  source.field(group)
      .field(join_path(context.request.from.working_directory, context.request.invocation.source))
      .field(is_host ? 1 : 0);
  return {.step = spec.key.value,
          .source = source.finish(),
          .group = Hasher("group of jobs").field(group).field(is_host ? 1 : 0).finish()};
}

// The proof's compile, which is no step of its own.
StepSpec proof_of(const hip::StepCommand& command, const StepSpec& whole, const StepContext& context) {
  StepSpec spec;
  spec.label = whole.label + " proof";
  spec.commands = {{command.program, hip::in_directory(command.argv, context.directory.path())}};
  spec.is_proof = true;
  return spec;
}

StepSpec make_spec(const hip::Preamble& preamble, const StepContext& context) {
  return spec_of(*preamble.make, {}, context.request, context.directory.path());
}

bool has_succeeded(const protocol::StepDone& report) {
  return report.exit_code == 0 && report.spawn_error.empty() && report.doubt.empty();
}

bool is_silent(const protocol::StepDone& report) { return report.stdout_text.empty() && report.stderr_text.empty(); }

// Clang up to 15 writes into a header where it lies, and looks there for files that are gone. The name has as many
// characters, and no directory has it.
std::string other_directory(const std::string& directory) { return "/" + std::string(directory.size() - 1, '-'); }

bool is_of_host(const hip::Preamble& preamble) { return preamble.make->arch.name.empty(); }

// The usual order first, then all, as far as they are tried. Before one is known, the reverse is tried first for a
// device: clang 15 and 19 need it for the two functions that the wrapper defines there. The host defines neither.
std::vector<std::vector<std::size_t>> orders_of(std::size_t count, bool is_host, const Preambles& preambles) {
  std::vector<std::vector<std::size_t>> orders;
  std::vector<std::size_t> usual = preambles.usual_order(is_host, count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto next = [&] {
    return is_host ? std::next_permutation(order.begin(), order.end())
                   : std::prev_permutation(order.begin(), order.end());
  };
  if (!is_host) std::reverse(order.begin(), order.end());
  do {
    if (usual.empty() || order != usual) orders.push_back(order);
  } while (orders.size() < kMostTried && next());
  if (!usual.empty()) orders.insert(orders.begin(), std::move(usual));
  return orders;
}

void note_own_wrapper(const StepState& state, const std::string& why, const RequestContext& context) {
  const std::string what = context.of_object(state.spec().label);
  context.services.counters.without_preamble(why, what);
  context.services.log.info(what + " reads the wrapper header itself: " + why);
}

// By what the daemon knows a header in this build. A header may be valid in one checkout and not in the next.
Digest place_of(const cache::ActionKey& header, const RequestContext& context) {
  return Hasher("header of a build").field(header.value).field(cost_group_key(context.request)).finish();
}

// Why the job does not use a header, by what is known of both; "" if it may.
std::string why_not_by_past(const Preambles::Names& names, const Digest& header, const RequestContext& context) {
  const Preambles& preambles = context.services.preambles;
  const bool is_forced = context.request.settings.preamble == Setting::always;
  if (!is_forced && preambles.job(names.step).prints) return "it printed something that was not judged";
  if (!is_forced && preambles.expected_us(names) > Preambles::kHeavyUs)
    return "it takes so long that nothing would be gained";
  return preambles.why_vain(header);
}

// The same by the plan and the request; nothing if no header is wanted.
std::optional<std::string> why_not_by_plan(const StepSpec& spec, const RequestContext& context) {
  const config::Settings& settings = context.request.settings;
  if (spec.planned == nullptr || !spec.planned->preamble || settings.preamble == Setting::off) return std::nullopt;
  if (!spec.planned->preamble->why_not.empty()) return spec.planned->preamble->why_not;
  if (settings.recache) return "HIPCACHE_RECACHE is set";
  return RemoteSteps::is_on(context) ? "steps may run on other machines" : "";
}

}  // namespace

std::string why_no_preamble(const StepSpec& spec, const RequestContext& context) {
  const std::optional<std::string> why = why_not_by_plan(spec, context);
  if (!why || !why->empty()) return why.value_or("");
  const hip::Step& make = *spec.planned->preamble->make;
  return why_not_by_past(names_of(spec, context), place_of(spec_to_look_up(make, context.request).key, context),
                         context);
}

bool may_use_preamble(const StepState& state, const StepContext& context) {
  std::optional<std::string> why = why_not_by_plan(state.spec(), context);
  if (!why) return false;
  if (why->empty() && state.audited) why = "its stored result is audited";
  if (why->empty()) return true;
  note_own_wrapper(state, *why, context);
  return false;
}

PreambleRun::Making::Making(const hip::Preamble& preamble, const StepContext& context)
    : preamble_(preamble),
      context_(context),
      step_(make_spec(preamble, context)),
      plain_(proof_of(preamble.plain, step_.spec(), context)),
      with_(proof_of(preamble.with, step_.spec(), context)) {}

Status PreambleRun::Making::prepare() { return prepare_plainly(step_, context_); }

PreambleRun::Making::Then PreambleRun::Making::in_vain(std::string why) {
  why_vain_ = std::move(why);
  return Then::in_vain;
}

PreambleRun::Making::Then PreambleRun::Making::take_in(const protocol::StepDone& report) {
  if (part_ == &step_) return take_header(report);
  return part_ == &plain_ ? take_plain(report) : take_with(report);
}

PreambleRun::Making::Then PreambleRun::Making::take_header(const protocol::StepDone& report) {
  if (Status status = take_status(step_, report, context_); !status) return in_vain(status.error().message);
  if (!has_succeeded(report)) return in_vain("the compiler does not make it: " + said_by_failure(step_.result));
  if (!is_silent(report)) return in_vain("the compiler prints something when it makes it");
  Result<std::string> bytes = read_file(context_.directory.file(preamble_.header), kHeaderLimit);
  if (!bytes) return in_vain(bytes.error().message);
  std::optional<std::vector<compiler::BitRange>> places = compiler::eager_declarations(*bytes);
  if (!places) return in_vain("the compiler's form of a precompiled header is not known");
  report_ = report;
  bytes_ = replace_all(std::move(*bytes), context_.directory.path(), other_directory(context_.directory.path()));
  places_ = std::move(*places);
  orders_ = orders_of(places_.size(), is_of_host(preamble_), context_.services.preambles);
  part_ = &plain_;
  return Then::next_part;
}

PreambleRun::Making::Then PreambleRun::Making::take_plain(const protocol::StepDone& report) {
  if (!has_succeeded(report)) return in_vain("its proof does not compile");
  Result<std::string> bytes = read_file(context_.directory.file(preamble_.plain_output), kHeaderLimit);
  if (!bytes) return in_vain(bytes.error().message);
  plain_bytes_ = std::move(*bytes);
  plain_us_ = report.processor_us;
  return try_order();
}

PreambleRun::Making::Then PreambleRun::Making::try_order() {
  const Status written = replace_file(context_.directory.file(preamble_.header),
                                      compiler::with_eager_order(bytes_, places_, orders_[at_]));
  if (!written) return in_vain(written.error().message);
  part_ = &with_;
  return Then::next_part;
}

PreambleRun::Making::Then PreambleRun::Making::take_with(const protocol::StepDone& report) {
  if (!has_succeeded(report)) return in_vain("its proof does not compile with it");
  const Result<std::string> bytes = read_file(context_.directory.file(preamble_.with_output), kHeaderLimit);
  if (!bytes) return in_vain(bytes.error().message);
  if (*bytes != plain_bytes_) {
    if (++at_ < orders_.size()) return try_order();
    return in_vain("the compiler makes something else with it");
  }
  step_.result.duration_us = 0;  // no run takes the place of this one, so a hit saves nothing by itself
  const std::uint64_t saves_us = plain_us_ - std::min(plain_us_, report.processor_us);
  return saves_us == 0 ? in_vain("it saves nothing") : keep_header(saves_us);
}

// The bytes hide names, so the header is kept to the roots that the command names or that were looked at. The id of no
// unit is in its command.
PreambleRun::Making::Then PreambleRun::Making::keep_header(std::uint64_t saves_us) {
  Result<std::string> depfile = read_file(context_.directory.file(step_.spec().outputs[1].name), kDepfileLimit);
  if (!depfile) return in_vain(depfile.error().message);
  std::vector<CollectedOutput> outputs;
  outputs.push_back({.role = hip::kPreamble, .bytes = compiler::with_eager_order(bytes_, places_, orders_[at_])});
  outputs.push_back({.role = hip::kPreambleDepfile, .bytes = std::move(*depfile)});
  outputs.push_back({.role = hip::kPreambleSaves, .bytes = std::to_string(saves_us)});
  if (context_.services.preambles.is_refuted(digest_of(outputs.front().bytes))) return in_vain("it was found wrong");
  if (names_directory(outputs, context_.directory)) return in_vain("it names temporary files");
  Relocatability ties = relocatability_of(step_.spec().maps, outputs, step_.result, context_.request.from);
  ties.roots.hidden = true;
  ties.roots.named = step_.spec().named_roots;
  ties.roots.arguments = arguments_of(step_.spec());
  ties.cuid = false;
  take_trace(step_, report_, ties, inputs::kNoSources, context_);
  if (!keep(step_, std::move(outputs), context_))
    return in_vain(text_of(step_.result.refusal) + std::string(" ") + step_.result.refusal_detail);
  return Then::made;
}

PreambleRun::PreambleRun(StepState& state, const StepContext& context, std::unique_ptr<StepRun> job)
    : state_(state),
      context_(context),
      services_(context.services),
      preamble_(*state.spec().planned->preamble),
      job_(std::move(job)),
      names_(names_of(state.spec(), context)),
      key_(make_spec(preamble_, context).key),
      place_(place_of(key_, context)) {}

// The client has left while it made the header.
PreambleRun::~PreambleRun() {
  if (making_) services_.preambles.note_left(place_);
}

Status PreambleRun::prepare() {
  if (Status prepared = job_->prepare(); !prepared) return prepared;
  choose();
  return done();
}

void PreambleRun::leave(const std::string& why) { note_own_wrapper(state_, why, context_); }

// With trouble the job compiles plainly.
void PreambleRun::choose() {
  const config::Settings& settings = context_.request.settings;
  if (const std::string why = why_not_by_past(names_, place_, context_); !why.empty()) return leave(why);
  if (find_stored()) return;
  if (settings.readonly) return leave("HIPCACHE_READONLY is set");
  if (!services_.preambles.takes_turn(place_, settings.preamble == Setting::always)) return leave("it is not made yet");
  making_.emplace(preamble_, context_);
  if (making_->prepare()) return;
  making_.reset();
  services_.preambles.note_left(place_);
}

// Whether a header is stored, of use or not.
bool PreambleRun::find_stored() {
  if (!services_.preambles.may_be_stored(place_)) return false;
  const cache::Suffices suffices = [&](const cache::ActionResult& stored) {
    const cache::Output* header = stored.output(hip::kPreamble);
    return header != nullptr && stored.output(hip::kPreambleDepfile) != nullptr &&
           stored.output(hip::kPreambleSaves) != nullptr && !services_.preambles.is_refuted(header->blob);
  };
  const std::optional<cache::Hit> hit = context_.look_up(key_, suffices);
  if (!hit) services_.preambles.note_absent(place_);
  if (hit && !use(hit->result, hit->witnessed(), false)) leave("it cannot be used");
  return hit.has_value();
}

// Whether it can be used. REQUIRES: the result has all three outputs.
bool PreambleRun::use(const cache::ActionResult& made, inputs::Witnessed witnessed, bool is_in_directory) {
  const cache::Output& header = *made.output(hip::kPreamble);
  const auto bytes_of = [&](const char* role) -> std::optional<std::string> {
    Result<std::optional<std::string>> bytes = services_.store.blob(made.output(role)->blob);
    return bytes ? std::move(*bytes) : std::nullopt;
  };
  const std::vector<std::string> occurring =
      services_.file_system.names_among(*witnessed.set, preamble_.left_out, context_.request.from);
  if (!occurring.empty()) {
    services_.log.info(context_.of_object(state_.spec().label) + ": its macro " + occurring.front() +
                       " may occur in the wrapper's text");
    return false;
  }
  std::optional<std::string> of_header = bytes_of(hip::kPreambleDepfile);
  const std::optional<std::string> saves = bytes_of(hip::kPreambleSaves);
  if (!of_header || !saves) return false;
  if (!is_in_directory) {
    const std::optional<std::string> bytes = bytes_of(hip::kPreamble);
    if (!bytes || !replace_file(context_.directory.file(preamble_.header), *bytes)) return false;
  }
  std::from_chars(saves->data(), saves->data() + saves->size(), saves_us_);
  of_header_ = std::move(*of_header);
  state_.preamble = std::make_shared<const UsedPreamble>(UsedPreamble{header.blob, std::move(witnessed)});
  return true;
}

// Of a split step only the front end reads the text.
void PreambleRun::adapt(protocol::RunStep& message) {
  is_with_header_ = reads_text_ = false;
  if (making_ || message.commands.empty()) return;
  std::vector<std::string> with = message.commands.front().argv;
  reads_text_ = hip::use_preamble(with, context_.directory.file(preamble_.header));
  if (!reads_text_ || state_.preamble == nullptr) return;
  message.commands.front().argv = std::move(with);
  is_with_header_ = true;
}

Status PreambleRun::take_in(const protocol::StepDone& report) {
  if (making_) return take_making(report);
  return std::exchange(is_with_header_, false) ? take_with(report) : take_plain(report);
}

// The step itself has not run yet.
Status PreambleRun::take_making(const protocol::StepDone& report) {
  const Making::Then then = making_->take_in(report);
  if (then == Making::Then::next_part) return done();
  if (context_.observer != nullptr)
    context_.observer->step_ended(ended_step(making_->step(), making_->clock(), then == Making::Then::made));
  if (then == Making::Then::made) {
    services_.counters.preamble_made();
    services_.preambles.note_order(is_of_host(preamble_), making_->order());
    services_.preambles.note_made(place_);
    const StepResult& made = making_->step().result;
    use(made, made.witnessed, true);
  } else {
    services_.preambles.note_vain(place_, making_->why_vain());
    leave(making_->why_vain());
  }
  making_.reset();
  return done();
}

// An audit's run also counts as one that began when the audited run did. So it is not recorded, and not compared, if an
// input changed between the two.
Status PreambleRun::take_plain(protocol::StepDone report) {
  if (audited_) {
    report.started_ns = audited_->started_ns;
    compare(report);
  }
  if (reads_text_ && has_succeeded(report))
    services_.preambles.note_plain_run(names_, {.plain_us = report.processor_us, .prints = !why_again(report).empty()});
  const Status taken = job_->take_in(report);
  if (!difference_.empty() && job_->next() == nullptr) settle();
  return taken;
}

Status PreambleRun::take_with(const protocol::StepDone& report) {
  std::string why = why_again(report);
  has_odd_depfile_ = why.empty() && !put_plain_depfile();
  if (has_odd_depfile_) why = "its depfile has another form";
  if (!why.empty()) {
    state_.preamble.reset();
    services_.counters.preamble_again();
    services_.log.info(context_.of_object(state_.spec().label) +
                       " is compiled again without the wrapper header: " + why);
    return done();
  }
  const double share = context_.request.settings.audit.value_or(config::kAuditedPreambles);
  if (services_.audit_draw.draw(share) && services_.job_slots.is_any_free()) {
    audited_ = outputs_now(report);
    if (audited_) {
      audited_->with = std::exchange(state_.preamble, nullptr);
      return done();
    }
  }
  services_.counters.preamble_used(saves_us_);
  return job_->take_in(report);
}

// Why what the run made or printed may be something else than plainly; "" if it is the same. What a failed compile
// prints is the compiler's plain answer. Messages are those that the tests know to be equal: warnings about
// declarations and statements alone, and no place in the text.
std::string PreambleRun::why_again(const protocol::StepDone& report) const {
  if (!has_succeeded(report)) return "it failed";
  if (is_silent(report)) return "";
  const std::string& printed = report.stderr_text;
  if (!report.stdout_text.empty() || !leaves_out_macros(printed)) return "it printed something that was not judged";
  std::string_view rest = of_header_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.find('/') != word.npos && printed.find(word) != printed.npos) return "it names a file of the header";
  }
  return printed.find(context_.directory.path()) == printed.npos ? "" : "it names temporary files";
}

// Without a depfile among the step's outputs there is nothing to do.
bool PreambleRun::put_plain_depfile() const {
  for (const hip::StepOutput& output : state_.spec().outputs) {
    if (output.role != hip::kDepfile) continue;
    const std::string path = context_.directory.file(output.name);
    const Result<std::string> written = read_file(path, kDepfileLimit);
    if (!written) return false;
    const std::optional<std::string> plain = hip::depfile_without_header(
        *written, of_header_, context_.directory.file(preamble_.header), context_.request.invocation.source);
    if (!plain || !replace_file(path, *plain)) return false;
  }
  return true;
}

// Nothing if a file is missing.
std::optional<PreambleRun::Audited> PreambleRun::outputs_now(const protocol::StepDone& report) const {
  std::vector<std::string> names;
  for (const hip::StepOutput& output : job_->next()->spec().outputs) names.push_back(output.name);
  if (const hip::SplitCodegen* split = state_.spec().split_codegen; split != nullptr && names.empty())
    names.push_back(split->bitcode);
  Audited made{.started_ns = report.started_ns, .messages = report.stderr_text};
  for (std::string& name : names) {
    const Result<std::string> bytes = read_file(context_.directory.file(name), kOutputLimit);
    if (!bytes) return std::nullopt;
    made.files.emplace_back(std::move(name), digest_of(*bytes));
  }
  return made;
}

void PreambleRun::compare(const protocol::StepDone& report) {
  const std::optional<Audited> plain = has_succeeded(report) ? outputs_now(report) : std::nullopt;
  if (!plain) {
    difference_ = "it fails without the header";
  } else if (plain->messages != audited_->messages) {
    difference_ = "messages";
  } else {
    for (std::size_t at = 0; at < plain->files.size() && difference_.empty(); ++at)
      if (plain->files[at] != audited_->files[at]) difference_ = plain->files[at].first;
  }
  refutable_ = std::move(audited_->with);
  audited_.reset();
  services_.counters.preamble_audited();
}

void PreambleRun::settle() {
  const std::string what = context_.of_object(state_.spec().label);
  if (state_.result.refusal == Reason::input_changed || !state_.succeeded())
    return services_.log.info(what + ": the audit of its wrapper header is void: an input changed, or it failed");
  const std::string why = what + ": an audit found that the compiler makes something else of this source with a " +
                          "wrapper header that was made before: " + difference_;
  services_.log.error(why + "; neither the header nor what was made with it is used any more");
  services_.counters.error();
  services_.counters.preamble_differs();
  services_.preambles.refute(refutable_->header, why);
  services_.preambles.note_vain(place_, "it was found wrong");
}

}  // namespace hipcache::daemon
