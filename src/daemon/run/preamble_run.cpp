#include "daemon/run/preamble_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <set>
#include <string_view>

#include "daemon/audit/audit.h"
#include "daemon/execute/remote_steps.h"
#include "daemon/request/keys.h"
#include "daemon/run/collected_output.h"
#include "daemon/run/messages.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/units_to_come.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/depfile.h"

namespace hipcache::daemon {
namespace {

using Setting = config::Settings::Preamble;
using inputs::Observation;
using inputs::Question;

constexpr std::uint64_t kDepfileLimit = 16u << 20;

Preambles::Names names_of(const StepSpec& spec, const Digest& header, const RequestContext& context) {
  const bool is_host = spec.planned->kind == hip::StepKind::host;
  const Digest group = cost_group_key(context.request);
  Hasher source("source of a job");
  source.field(group)
      .field(join_path(context.request.from.working_directory, source_of(spec, context.request)))
      .field(is_host ? 1 : 0);
  return {.step = spec.key.value,
          .source = source.finish(),
          .group = Hasher("group of jobs").field(group).field(is_host ? 1 : 0).finish(),
          .header = header};
}

void note_own_wrapper(const StepState& state, const std::string& why, const RequestContext& context) {
  const std::string what = context.of_object(state.spec().label);
  context.services.counters.without_preamble(why, what);
  context.services.log.info(what + " reads the wrapper header itself: " + why);
}

// Why the job does not use a header, by what is known of both; "" if it may.
std::string why_not_by_past(const Preambles::Names& names, const RequestContext& context) {
  const Preambles& preambles = context.services.preambles;
  const bool is_forced = context.request.settings.preamble == Setting::always;
  if (!is_forced && preambles.job(names.step).prints) return "it printed something that was not judged";
  if (!is_forced && preambles.expected_us(names) > Preambles::kHeavyUs)
    return "it takes so long that nothing would be gained";
  return preambles.why_vain(names.header);
}

// Whether sources were compiled both ways with that version of clang (docs/internals/plan.md). Its resource directory
// ends with the version: "15.0.6", "19".
bool is_of_tried_version(const hip::Preamble& preamble) {
  const std::vector<std::string>& words = preamble.make->commands.front().argv;
  const auto option = std::find(words.begin(), words.end(), "-resource-dir");
  if (option == words.end() || option + 1 == words.end()) return false;
  const std::string_view version = base_name(*(option + 1));
  const std::string_view major = version.substr(0, version.find('.'));
  static constexpr std::array kTried{"15", "17", "19", "21", "22", "23"};
  return std::find(kTried.begin(), kTried.end(), major) != kTried.end();
}

// The same by the plan and the request; nothing if no header is wanted.
std::optional<std::string> why_not_by_plan(const StepSpec& spec, const RequestContext& context) {
  const config::Settings& settings = context.request.settings;
  if (spec.planned == nullptr || !spec.planned->preamble || settings.preamble == Setting::off) return std::nullopt;
  if (!spec.planned->preamble->why_not.empty()) return spec.planned->preamble->why_not;
  if (settings.preamble != Setting::always && !is_of_tried_version(*spec.planned->preamble))
    return "the version of its compiler was not tried";
  if (settings.recache) return "HIPCACHE_RECACHE is set";
  return RemoteSteps::is_on(context) ? "steps may run on other machines" : "";
}

// A job whose command has more search directories than its header (plan.h, Preamble::left_out_directories). They come
// before all directories of the system, so the text is the same if none of them has a name that it looks for. The
// questions of the header's own run have these names. Rejected: a scan of the text's includes, because conditions and
// macros decide which count.

enum class Found { missing, directory, file, other };

// Anything but a clear absence counts as there.
Found look_at(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return errno == ENOENT || errno == ENOTDIR ? Found::missing : Found::other;
  if (S_ISDIR(status.st_mode)) return Found::directory;
  return S_ISREG(status.st_mode) ? Found::file : Found::other;
}

bool is_program_or_library(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF";
  char head[kMagic.size()];
  return file && read(file.get(), head, sizeof head) == sizeof head && std::string_view(head, sizeof head) == kMagic;
}

// Below each of the directories that has it.
std::vector<std::string> names_below(const std::vector<std::string>& directories, const std::string& path) {
  std::vector<std::string> names;
  for (const std::string& directory : directories)
    if (path != directory && is_within(path, directory)) names.push_back(path.substr(directory.size() + 1));
  return names;
}

// What the text looks for, as names below a search directory. Nothing if it read a file that none of them has.
//
// A name that was found nowhere was looked for in all directories, so one of them has the question. Of a name in a
// directory that is missing, only that directory was looked for. So its name counts, unless it was found elsewhere:
// then the names in it were looked for there.
std::optional<std::set<std::string>> names_looked_for(const hip::Preamble& preamble, const inputs::PathSet& set,
                                                      const inputs::RunContext& from) {
  const auto absolute = [&](const std::string& path) { return normal_path(join_path(from.working_directory, path)); };
  std::vector<std::string> directories;
  for (const std::string& directory : preamble.system_directories) directories.push_back(absolute(directory));
  std::set<std::string> names, of_directories;
  for (const Observation& one : set.observations()) {
    if (!inputs::asks_about_content(one.question) && one.question != Question::presence) continue;
    const std::string path = absolute(from.roots.local_path(one.name));
    const std::vector<std::string> below = names_below(directories, path);
    const Found found = look_at(path);
    const bool is_read = inputs::asks_about_content(one.question) && found == Found::file;
    if (below.empty() && is_read && !is_program_or_library(path)) return std::nullopt;
    (found == Found::directory ? of_directories : names).insert(below.begin(), below.end());
  }
  for (const std::string& directory : of_directories) names.erase(directory);
  return names;
}

// The questions that show that the directory has none of the names. Nothing if it may have one.
std::optional<std::vector<Observation>> absences_in(const std::string& directory, const std::set<std::string>& names,
                                                    const std::string& working_directory) {
  const auto look = [&](const std::string& path) { return look_at(join_path(working_directory, path)); };
  if (const Found found = look(directory); found != Found::directory)
    return found == Found::missing ? std::optional(std::vector<Observation>{{Question::presence, directory}})
                                   : std::nullopt;
  std::set<std::string> absent;
  for (const std::string& name : names) {
    const std::string path = join_path(directory, name), first = join_path(directory, name.substr(0, name.find('/')));
    if (absent.contains(first)) continue;
    const bool is_first_missing = look(first) == Found::missing;
    if (!is_first_missing && (path == first || look(path) != Found::missing)) return std::nullopt;
    absent.insert(is_first_missing ? first : path);
  }
  std::vector<Observation> questions;
  for (const std::string& path : absent) questions.push_back({Question::presence, path});
  return questions;
}

std::optional<std::vector<Observation>> absences(const hip::Preamble& preamble, const std::set<std::string>& names,
                                                 const inputs::RunContext& from) {
  std::vector<Observation> all;
  for (const std::string& directory : preamble.left_out_directories) {
    std::optional<std::vector<Observation>> of_one = absences_in(directory, names, from.working_directory);
    if (!of_one) return std::nullopt;
    all.insert(all.end(), of_one->begin(), of_one->end());
  }
  return all;
}

// What the header stands on, with the absence of each name in each of the left out directories. Nothing if one of them
// may have such a name, or if it is not known what the text looks for.
//
// The state is taken between two looks at the directories, so it is one in which the names are absent. What changes
// afterwards is found by the comparison when the job's result is recorded.
std::optional<inputs::Witnessed> with_absences(const hip::Preamble& preamble, const inputs::Witnessed& header,
                                               const RequestContext& context) {
  const inputs::RunContext& from = context.request.from;
  inputs::FileSystemState& file_system = context.services.file_system;
  const std::optional<std::set<std::string>> names = names_looked_for(preamble, *header.set, from);
  if (!names) return std::nullopt;
  std::optional<std::vector<Observation>> questions = absences(preamble, *names, from);
  if (!questions) return std::nullopt;
  std::vector<Observation> all = header.set->observations();
  all.insert(all.end(), questions->begin(), questions->end());
  inputs::Witnessed more{.set = std::make_shared<const inputs::PathSet>(std::move(all)), .state = {}};
  more.state = file_system.state(*more.set, from);
  if (file_system.state(*header.set, from) != header.state || absences(preamble, *names, from) != questions)
    return std::nullopt;
  return more;
}

}  // namespace

std::string why_no_preamble(const StepSpec& spec, const RequestContext& context) {
  const std::optional<std::string> why = why_not_by_plan(spec, context);
  if (!why || !why->empty()) return why.value_or("");
  const hip::Step& make = *spec.planned->preamble->make;
  const Digest place = place_of(spec_to_look_up(make, context.request).key, context);
  return why_not_by_past(names_of(spec, place, context), context);
}

bool may_use_preamble(const StepState& state, const StepContext& context) {
  std::optional<std::string> why = why_not_by_plan(state.spec(), context);
  if (!why) return false;
  if (why->empty() && state.audited) why = "its stored result is audited";
  if (why->empty()) return true;
  note_own_wrapper(state, *why, context);
  return false;
}

PreambleRun::PreambleRun(StepState& state, const StepContext& context, std::unique_ptr<StepRun> job)
    : state_(state),
      context_(context),
      services_(context.services),
      preamble_(*state.spec().planned->preamble),
      job_(std::move(job)),
      key_(spec_to_look_up(*preamble_.make, context.request).key),
      place_(place_of(key_, context)),
      names_(names_of(state.spec(), place_, context)) {}

Status PreambleRun::prepare() {
  if (Status prepared = job_->prepare(); !prepared) return prepared;
  choose();
  return done();
}

void PreambleRun::leave(const std::string& why) { note_own_wrapper(state_, why, context_); }

// With trouble the job compiles plainly.
void PreambleRun::choose() {
  const config::Settings& settings = context_.request.settings;
  if (const std::string why = why_not_by_past(names_, context_); !why.empty()) return leave(why);
  if (find_stored()) return;
  if (settings.readonly) return leave("HIPCACHE_READONLY is set");
  const Preambles::Turn turn = services_.preambles.turn(place_, settings.preamble == Setting::always,
                                                        [this] { return units_to_come(context_); });
  state_.wants_preamble = turn == Preambles::Turn::in_idle_time;
  if (turn != Preambles::Turn::at_once) return leave("it is not made yet");
  making_.emplace(preamble_, context_);
  if (!making_->prepare()) making_.reset();
}

// Whether a header is stored, of use or not.
bool PreambleRun::find_stored() {
  if (!services_.preambles.may_be_stored(place_)) return false;
  const std::optional<cache::Hit> hit = stored_preamble(key_, context_);
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
  if (!preamble_.left_out_directories.empty()) {
    std::optional<inputs::Witnessed> more = with_absences(preamble_, witnessed, context_);
    if (!more) {
      services_.log.info(context_.of_object(state_.spec().label) + ": a directory of its search may have a name that " +
                         "the wrapper's text looks for");
      return false;
    }
    witnessed = *std::move(more);
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
  state_.preamble = std::make_shared<const UsedPreamble>(UsedPreamble{header.blob, std::move(witnessed), saves_us_});
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
  const PreambleMaking::Then then = making_->take_in(report);
  if (then == PreambleMaking::Then::next_part) return done();
  const StepResult& made = making_->step().result;
  if (then == PreambleMaking::Then::in_vain)
    leave(making_->why_vain());
  else
    use(made, made.witnessed, true);
  making_.reset();
  return done();
}

// An audit's run also counts as one that began when the audited run did. So it is not recorded, and not compared, if an
// input changed between the two.
Status PreambleRun::take_plain(protocol::StepDone report) {
  if (plainly_) {
    report.started_ns = plainly_->started_ns;
    compare_with_itself(report);
  } else if (audited_) {
    report.started_ns = audited_->started_ns;
    compare(report);
    if (!difference_.empty() && has_succeeded(report)) plainly_ = outputs_now(report);
    if (plainly_) return done();
  }
  if (has_failed_with_header_ && reads_text_ && has_succeeded(report))
    services_.preambles.note_vain(place_, "a job fails with it that compiles without");
  if (reads_text_ && has_succeeded(report) && !context_.request.settings.readonly)
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
    has_failed_with_header_ = !has_succeeded(report);
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
  if (!report.stdout_text.empty() || !judged_messages(printed)) return "it printed something that was not judged";
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
        *written, of_header_, context_.directory.file(preamble_.header), source_of(state_.spec(), context_.request));
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

// Clang 15 orders a list by addresses, so it makes something else of some sources in each run.
void PreambleRun::compare_with_itself(const protocol::StepDone& report) {
  const std::optional<Audited> again = has_succeeded(report) ? outputs_now(report) : std::nullopt;
  if (!again || again->files != plainly_->files || again->messages != plainly_->messages) {
    services_.log.info(context_.of_object(state_.spec().label) +
                       ": the audit of its wrapper header is void: two plain runs differ as well");
    difference_.clear();
  }
  plainly_.reset();
}

void PreambleRun::settle() {
  const std::string what = context_.of_object(state_.spec().label);
  if (state_.result.refusal.reason == Reason::input_changed || !state_.succeeded())
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
