#include "daemon/tell/explainer.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "daemon/request/keys.h"
#include "daemon/request/macros.h"
#include "daemon/request/portable_arguments.h"
#include "daemon/request/step_kinds.h"
#include "daemon/tell/place_owner.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/inputs/mentions.h"
#include "hipcache/inputs/token_difference.h"

namespace hipcache::daemon {

namespace {

using protocol::Differs;
using Path = std::filesystem::path;

// The only source. Of an opaque compile: its only argument that is no option.
std::string source_of(const compiler::Invocation& invocation) {
  if (invocation.route == compiler::Route::planned) return invocation.other_sources.empty() ? invocation.source : "";
  if (invocation.opaque.making != compiler::Making::compile) return "";
  std::string source;
  std::vector<std::string> arguments(invocation.expanded.begin() + 1, invocation.expanded.end());
  for (const std::string& unit : units_of(arguments)) {
    if (unit.starts_with('-')) continue;
    if (!source.empty()) return "";
    source = unit;
  }
  return source;
}

// The directories that two paths with equal ends do not share: "/a" and "/b" of "/a/s/x.o" and "/b/s/x.o". Empty if the
// paths have different names.
std::pair<std::string, std::string> unequal_roots(const Path& now, const Path& then) {
  const std::vector<Path> left(now.begin(), now.end()), right(then.begin(), then.end());
  const auto [left_end, right_end] = std::mismatch(left.rbegin(), left.rend(), right.rbegin(), right.rend());
  if (left_end == left.rbegin()) return {};
  const auto path_up_to = [](auto from, auto end) {
    Path path;
    for (auto part = from; part != end; ++part) path /= *part;
    return path.string();
  };
  return {path_up_to(left.begin(), left_end.base()), path_up_to(right.begin(), right_end.base())};
}

// Compiles of an equal source that made another output: in another directory, or under another name.
//
// The problem: the miss history is kept by output, so the first compile in another checkout would only be told that
// nothing is stored. The choice: an entry stands also in a list that is named after the source's name and content. A
// source that was edited is not found there; it is a miss wherever it lies. Rejected: a list by the source's name
// alone, because a project has many a main.cpp.

// The name of the list; nothing for a command without a source, or with several.
std::optional<Digest> same_source_key(const RequestContext& context) {
  const Request& request = context.request;
  const std::string source = source_of(request.invocation);
  if (source.empty()) return std::nullopt;
  const std::string path = join_path(request.from.working_directory, source);
  const Result<Digest> content = context.services.file_system.content(path);
  if (!content) return std::nullopt;
  return source_key(request, std::string(base_name(source)), *content);
}

// The absolute path of what the request makes.
std::string object_path(const Request& request) {
  return Path(join_path(request.from.working_directory, request.invocation.object)).lexically_normal().string();
}

// What to tell of a request that was only compared with the compile of `object`, and what would make it a hit.
Differences other_output(const std::string& object, const Request& request) {
  const Path now = object_path(request);
  const Path then = object;
  Differences told{{Differs::nothing_stored, "", "", ""}, {Differs::other_output, object, "", ""}};
  const auto [here, there] = unequal_roots(now, then);
  if (!here.empty() && !there.empty() && here != "/" && there != "/")
    told.push_back({Differs::other_base, "", here, there});
  else if (now.parent_path() == then.parent_path() && request.invocation.route == compiler::Route::planned)
    told.push_back({Differs::output_name, "", now.filename().string(), then.filename().string()});
  return told;
}

using cache::HistoryEntry;
using cache::HistoryStep;
using protocol::Difference;
using protocol::Differs;

constexpr std::size_t kMostShown = 10;  // differences shown per step: enough to see what happened

bool is_variable(const ObservedDifference& one) {
  const Differs kind = one.difference.kind;
  return kind == Differs::variable_changed || kind == Differs::variable_set || kind == Differs::variable_unset;
}

Differences only(Differs kind, std::string name = "", std::string now = "") {
  return {{kind, std::move(name), std::move(now), ""}};
}

// "-o b.o": an argument, as the miss history has it.
bool names_output(const Difference& difference) {
  const bool is_argument = difference.kind == Differs::argument_added || difference.kind == Differs::argument_removed;
  return is_argument && difference.name.starts_with("-o");
}

bool is_of_opaque(const HistoryEntry& entry) { return entry.step(label_of(compiler::Making::compile)) != nullptr; }

// What a weaker question might not have seen: bytes of the user's, or a macro of the command that no file names.
bool is_by_strict_question(const Differences& differences) {
  return std::any_of(differences.begin(), differences.end(), [](const Difference& one) {
    return (one.kind == Differs::content && owner_of(one.name) == PlaceOwner::user) ||
           (one.kind == Differs::macro && one.name == kOneOfAll);
  });
}

bool is_device(const HistoryStep& step) { return step.label.starts_with("device "); }

}  // namespace

cache::HistoryRequest history_request(const Request& request) {
  std::vector<std::string> archs;
  for (const compiler::ArchId& arch : request.invocation.archs) archs.push_back(arch.name);
  const bool is_opaque = request.invocation.route == compiler::Route::is_opaque;
  return {.compiler = request.compiler,
          .arguments = portable(
              without_macros(is_opaque ? opaque_arguments(request.invocation) : request.invocation.without_archs,
                             request.from),
              request.from),
          .archs = std::move(archs),
          .working_directory = request.from.working_directory,
          .logical_directory = request.from.logical_directory(),
          .cuid = request.from.cuid};
}

void record_history(const cache::Observed& observed, const std::vector<const StepState*>& steps,
                    const RequestContext& context) {
  cache::HistoryEntry entry{.object = object_path(context.request),
                            .of_source = same_source_key(context).value_or(Digest{}),
                            .request = history_request(context.request),
                            .steps = {},
                            .observed = observed};
  if (observed.set != nullptr) inputs::shorten(entry.observed.answered, *observed.set);
  for (const StepState* step : steps) entry.steps.push_back(history_step(*step, context.request.from));
  const Status recorded = context.services.miss_history.record(context.history, entry);
  if (!recorded)
    context.services.log.warning(context.of_object("the miss history lacks this: " + recorded.error().message));
}

Explainer::Explainer(const RequestContext& context) : Explainer(context.request, context.history, context.services) {
  if (!candidates_.empty()) return;
  const std::optional<Digest> of_source = same_source_key(context);
  if (!of_source) return;
  compare_with(context.services.miss_history.entries(*of_source), Compared::all);
  keep_alike();
  is_of_other_output_ = !candidates_.empty();
}

Explainer::Explainer(const Request& request, const Digest& history, const Services& services, Compared compared)
    : request_(request), services_(services), now_(history_request(request)) {
  compare_with(services.miss_history.entries(history), compared);
  if (candidates_.empty()) compare_with(services.miss_history.shared_entries(history), compared);
}

// Of another output only a compile that was served in the same way says something. One of the same name comes first.
void Explainer::keep_alike() {
  const bool is_opaque = request_.invocation.route == compiler::Route::is_opaque;
  std::erase_if(candidates_, [&](const Candidate& candidate) { return is_opaque != is_of_opaque(candidate.then); });
  std::stable_partition(candidates_.begin(), candidates_.end(), [&](const Candidate& candidate) {
    return base_name(candidate.then.object) == base_name(request_.invocation.object);
  });
  // Other directories always have other files.
  for (Candidate& candidate : candidates_)
    std::erase_if(candidate.observed, [](const auto& one) { return one.difference.kind == Differs::same_files; });
}

void Explainer::compare_with(std::vector<HistoryEntry> entries, Compared compared) {
  for (HistoryEntry& entry : entries) {
    candidates_.push_back(candidate_of(std::move(entry)));
    if (compared == Compared::newest && candidates_.back().asked.empty()) break;
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& left, const Candidate& right) { return left.distance() < right.distance(); });
}

Explainer::Candidate Explainer::candidate_of(HistoryEntry then) const {
  Candidate candidate;
  candidate.asked = compare_requests(now_, then.request);
  if (then.observed.set != nullptr) {
    inputs::Answered now;
    services_.file_system.state(*then.observed.set, request_.from, nullptr, &now);
    candidate.observed = compare_answers(*then.observed.set, now, then.observed.answered);
    for (ObservedDifference& one : candidate.observed)
      if (one.difference.kind == Differs::tokens)
        one.difference.now = inputs::token_difference(*then.observed.set, one.index, then.observed.answered[one.index],
                                                      request_.from, services_.file_system);
  }
  candidate.then = std::move(then);
  return candidate;
}

bool Explainer::Candidate::variable_differs() const {
  return std::any_of(observed.begin(), observed.end(), is_variable);
}

Differences Explainer::request_differences() const {
  if (candidates_.empty()) return only(Differs::nothing_stored);
  const Candidate& nearest = candidates_.front();
  Differences differences = local(nearest.asked);
  if (!is_of_other_output_) return differences;
  Differences all = other_output(nearest.then.object, request_);
  const bool only_name = all.back().kind == Differs::output_name;
  for (Difference& difference : differences)
    if (difference.kind != Differs::cuid && !(only_name && names_output(difference)))
      all.push_back(std::move(difference));
  return all;
}

Differences Explainer::input_differences() const {
  if (candidates_.empty()) return {};
  const Candidate& nearest = candidates_.front();
  if (nearest.observed.empty()) return {};
  return local(within(nullptr, *nearest.then.observed.set, nearest.observed));
}

const Explainer::Candidate* Explainer::nearest_to(const HistoryStep& step) const {
  const Candidate* of_that_name = nullptr;
  for (const Candidate& candidate : candidates_) {
    const HistoryStep* then = candidate.then.step(step.label);
    if (then == nullptr) continue;
    if (then->key == step.key) return &candidate;
    if (of_that_name == nullptr) of_that_name = &candidate;
  }
  return of_that_name;
}

// The questions of a step of the compile. An opaque compile is one step, so they are all questions of the compile. The
// list that has them cannot be found, because the content of the source at that time is part of its key.
std::shared_ptr<const inputs::PathSet> Explainer::set_of(const HistoryStep& then, const Candidate& candidate) const {
  const auto& all = candidate.then.observed.set;
  return all != nullptr && all->id() == then.set ? all : services_.actions.path_set(then.key, then.set);
}

Differences Explainer::observed_by(const HistoryStep& step, const Candidate& candidate) const {
  if (candidate.observed.empty()) return {};
  const auto part = set_of(step, candidate);
  return within(part.get(), *candidate.then.observed.set, candidate.observed);
}

// If a root shows in a result because a source uses its own name, adds that source, so that the report can advise.
void Explainer::add_own_name(const HistoryStep& then, const Candidate& candidate, Differences& differences) const {
  const auto is_of_root = [](const Difference& one) { return one.kind == Differs::shown_root; };
  if (std::none_of(differences.begin(), differences.end(), is_of_root)) return;
  const auto set = set_of(then, candidate);
  if (set == nullptr) return;
  for (const inputs::OwnName& own :
       inputs::mentions_in(set->observations(), request_.from, {}, services_.file_system).own_names) {
    const Root* root = request_.from.roots.around(own.path);
    if (root != nullptr && own.is_mapped) differences.push_back({Differs::own_name, own.where, root->path, ""});
  }
}

// The miss history keeps paths and arguments in portable form.
Differences Explainer::local(Differences differences) const {
  for (Difference& difference : differences)
    for (std::string* text : {&difference.name, &difference.now, &difference.was})
      *text = request_.from.roots.local_text(*text);
  return differences;
}

Differences Explainer::why(const HistoryStep& step, const std::vector<std::string>& makers) const {
  return local(differences_of(step, makers));
}

Differences Explainer::differences_of(const HistoryStep& step, const std::vector<std::string>& makers) const {
  if (request_.settings.recache) return only(Differs::recache);
  if (candidates_.empty()) return only(Differs::nothing_stored);
  const Candidate* candidate = nearest_to(step);
  if (candidate == nullptr) return only(Differs::unknown_step, is_device(step) ? "architecture" : "step");
  const HistoryStep& then = *candidate->then.step(step.label);
  const bool same_key = then.key == step.key;
  const bool no_key = step.key == cache::ActionKey();
  if ((same_key || no_key) && !then.refusal.empty()) return only(Differs::refused, then.refusal, then.detail);

  Differences differences = compare_steps(step, then, makers);
  if (candidate->variable_differs())
    differences = without_values(std::move(differences), now_, candidate->then.request);
  Differences observed = observed_by(then, *candidate);
  add_own_name(then, *candidate, observed);
  if (then.refusal.empty() && !then.detail.empty() && is_by_strict_question(observed))
    observed.push_back({Differs::whole_sources, then.detail, "", ""});
  differences.insert(differences.end(), std::make_move_iterator(observed.begin()),
                     std::make_move_iterator(observed.end()));
  attribute_cuid(differences, *candidate, !no_key);
  if (!differences.empty()) put_in_order(differences);
  if (!differences.empty() || no_key) return differences;
  if (!same_key) return only(Differs::command);
  return only(services_.token_hits.are_off() ? Differs::token_hits_off : Differs::gone);
}

// The CUID is made of the request's arguments. If those differ, an argument that reached the step is the reason; else
// the arguments are.
void Explainer::attribute_cuid(Differences& differences, const Candidate& candidate, bool has_key) const {
  const bool by_arguments = !is_of_other_output_ && now_.arguments != candidate.then.request.arguments;
  if (!by_arguments) return;
  const auto shown = std::find_if(differences.begin(), differences.end(),
                                  [](const Difference& one) { return one.kind == Differs::shown_cuid; });
  if (shown == differences.end()) return;
  if (differences.size() > 1 || !has_key)
    differences.erase(shown);
  else
    shown->kind = Differs::cuid_of_arguments;
}

// The step of an opaque compile runs the request's own command, whose arguments are not in the step.
bool Explainer::is_other_command(const HistoryStep& step) const {
  const Candidate* candidate = nearest_to(step);
  if (candidate == nullptr || request_.invocation.route != compiler::Route::is_opaque) return false;
  return candidate->then.step(step.label)->key != step.key;
}

std::shared_ptr<const inputs::PathSet> Explainer::earlier_set(const HistoryStep& step) const {
  const Candidate* candidate = nearest_to(step);
  const HistoryStep* then = candidate == nullptr ? nullptr : candidate->then.step(step.label);
  return then != nullptr && (then->key == step.key || is_of_other_output_) ? set_of(*then, *candidate) : nullptr;
}

// Who is told has no entry for the request, so a step's entry includes the request's differences.
Differences Explainer::why_in_full(const HistoryStep& step, const std::vector<std::string>& makers) const {
  Differences differences = why(step, makers);
  const auto is_command = [](const Difference& one) { return one.kind == Differs::command; };
  const bool other_command = std::any_of(differences.begin(), differences.end(), is_command);
  if (!other_command && !is_of_other_output_ && !is_other_command(step)) return differences;
  Differences all = request_differences();
  if (all.empty()) return differences;
  std::erase_if(differences, is_command);
  all.insert(all.end(), std::make_move_iterator(differences.begin()), std::make_move_iterator(differences.end()));
  return all;
}

protocol::ExplainedStep explained(std::string name, protocol::Verdict verdict, Differences differences) {
  const std::size_t more = differences.size() - std::min(differences.size(), kMostShown);
  differences.resize(differences.size() - more);
  for (Difference& difference : differences)
    for (std::string* text : {&difference.name, &difference.now, &difference.was}) *text = readable(*text);
  return {std::move(name), verdict, std::move(differences), more};
}

}  // namespace hipcache::daemon
