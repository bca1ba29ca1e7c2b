#include "daemon/explain/miss_difference.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "daemon/explain/argument_changes.h"
#include "hipcache/base/checksum.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/text.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::daemon {
namespace {

using cache::HistoryRequest;
using cache::HistoryStep;
using inputs::Answer;
using inputs::AnswerFingerprint;
using inputs::Observation;
using inputs::Question;
using protocol::Difference;
using protocol::Differs;

void append(Differences& to, Differences from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void compare_texts(Differs kind, const std::string& now, const std::string& was, Differences& out) {
  if (now != was) out.push_back({kind, "", now, was});
}

void compare_archs(const std::vector<std::string>& now, const std::vector<std::string>& then, Differences& out) {
  for (const std::string& arch : now)
    if (!holds(then, arch)) out.push_back({Differs::arch_added, arch, "", ""});
  for (const std::string& arch : then)
    if (!holds(now, arch)) out.push_back({Differs::arch_removed, arch, "", ""});
}

std::string digits(const AnswerFingerprint& told) {
  constexpr std::size_t kOfStart = 4;
  const std::string all = checksum_hex(told.fingerprint);
  return told.kind == Answer::digest_start ? all.substr(0, kOfStart) : all;
}

std::string nature(Answer kind) {
  switch (kind) {
    case Answer::absent:
      return "absent";
    case Answer::digest:
    case Answer::digest_start:
    case Answer::file:
      return "a file";
    case Answer::empty_file:
    case Answer::empty_executable:
      return "an empty file";
    case Answer::executable:
      return "an executable file";
    case Answer::directory:
      return "a directory";
    case Answer::unreadable:
      return "unreadable";
    case Answer::no_link:
      return "no link";
    case Answer::text:
      return "a link";
    case Answer::error:
    case Answer::other:
    case Answer::unset:
      break;
  }
  return "something else";
}

Difference compare_variable(const std::string& name, const AnswerFingerprint& now, const AnswerFingerprint& then) {
  if (then.kind == Answer::unset) return {Differs::variable_set, name, "", ""};
  if (now.kind == Answer::unset) return {Differs::variable_unset, name, "", ""};
  return {Differs::variable_changed, name, "", ""};
}

// Without a name if this is no question about a standard stream.
Difference compare_terminal(const std::string& name, const AnswerFingerprint& now, const AnswerFingerprint& then) {
  constexpr std::array<const char*, 3> kStreams{"standard input", "standard output", "standard error"};
  if (name == "1=2") return {Differs::terminal, "standard output", "one file with standard error, or not", "otherwise"};
  if (name.empty() || name[0] < '0' || name[0] > '2') return {};
  const auto said = [](const AnswerFingerprint& answer) {
    return answer.kind == Answer::unset ? "no terminal" : "a terminal";
  };
  const std::string stream = kStreams[static_cast<std::size_t>(name[0] - '0')];
  if (now.kind != then.kind) return {Differs::terminal, stream, said(now), said(then)};
  return {Differs::terminal, stream, "a terminal of another size", "a terminal"};
}

Difference compare_kinds(const std::string& path, const AnswerFingerprint& now, const AnswerFingerprint& then) {
  if (then.kind == Answer::absent) return {Differs::appeared, path, "", ""};
  if (now.kind == Answer::absent) return {Differs::vanished, path, "", ""};
  return {Differs::nature, path, nature(now.kind), nature(then.kind)};
}

Difference compare_surroundings(const Observation& observation, const AnswerFingerprint& now,
                                const AnswerFingerprint& then) {
  switch (observation.question) {
    case Question::variable:
      return compare_variable(observation.name, now, then);
    case Question::program:
      return {Differs::search, observation.name, "", ""};
    case Question::root:
    case Question::root_place:
      return {Differs::shown_root, Roots::name_of(observation.name), "", ""};
    case Question::name_likeness:
      return {Differs::shown_root, Roots::name_of(std::string(inputs::mark_of_likeness(observation.name))), "", ""};
    case Question::cuid:
      return {Differs::shown_cuid, "", "", ""};
    case Question::library:
      return {Differs::search, observation.name, "", ""};
    case Question::terminal:
      return compare_terminal(observation.name, now, then);
    case Question::look:
      if (const Difference difference = compare_terminal(observation.name, now, then); !difference.name.empty())
        return difference;
      return compare_variable(observation.name, now, then);
    case Question::look_options:
      return {Differs::terminal, "the options for messages", "others than then", "the same"};
    case Question::source_date:
      return {Differs::variable_changed, "SOURCE_DATE_EPOCH", "", ""};
    case Question::output_names:
      return {Differs::shown_output_names, "", "", ""};
    case Question::machine:
      return {Differs::variable_changed, "(the machine, by uname)", "", ""};
    case Question::macro:
      return {Differs::macro, observation.name, "", ""};
    case Question::all_macros:
    case Question::further_macros:
      return {Differs::macro, "(one of all)", "", ""};
    case Question::environment:
      return {Differs::variable_changed, observation.name.empty() ? "(one of all)" : "(of a shell or Perl)", "", ""};
    default:
      return {Differs::working_directory, "", "", ""};
  }
}

Difference compare_answer(const Observation& observation, const AnswerFingerprint& now, const AnswerFingerprint& then) {
  const std::string& name = observation.name;
  if (!inputs::asks_about_path(observation.question)) return compare_surroundings(observation, now, then);
  const bool is_start = then.kind == Answer::digest_start && now.kind == Answer::digest;
  if (now.kind != then.kind && !is_start) return compare_kinds(name, now, then);
  if (inputs::asks_about_tokens(observation.question)) return {Differs::tokens, name, "they differ", ""};
  if (observation.question == Question::content) return {Differs::content, name, digits(now), digits(then)};
  if (observation.question == Question::link) return {Differs::link, name, "", ""};
  if (observation.question == Question::real_path) return {Differs::real_path, name, "", ""};
  if (observation.question == Question::listing || observation.question == Question::rocm_listing ||
      observation.question == Question::bitcode_listing)
    return {Differs::listing, name, "", ""};
  if (observation.question == Question::size || observation.question == Question::size_and_time)
    return {Differs::nature, name, "of another size or time", "as the precompiled header names it"};
  return {Differs::nature, name, nature(now.kind), nature(then.kind)};
}

void compare_programs(const HistoryStep& now, const HistoryStep& then, Differences& out) {
  for (std::size_t i = 0; i < std::min(now.programs.size(), then.programs.size()); ++i)
    compare_texts(Differs::program, now.programs[i], then.programs[i], out);
}

void compare_inputs(const HistoryStep& now, const HistoryStep& then, const std::vector<std::string>& makers,
                    Differences& out) {
  if (now.inputs.size() != then.inputs.size()) return;
  for (std::size_t i = 0; i < std::min(now.inputs.size(), makers.size()); ++i)
    if (now.inputs[i] != then.inputs[i])
      out.push_back({Differs::input, makers[i], now.inputs[i].shown(), then.inputs[i].shown()});
}

bool is_argument(const Difference& difference) {
  return difference.kind == Differs::argument_added || difference.kind == Differs::argument_removed ||
         difference.kind == Differs::argument_moved;
}

}  // namespace

Differences compare_requests(const HistoryRequest& now, const HistoryRequest& then) {
  Differences out;
  compare_texts(Differs::compiler, now.compiler, then.compiler, out);
  append(out, compare_arguments(now.arguments, then.arguments));
  compare_archs(now.archs, then.archs, out);
  compare_texts(Differs::asked_directory, now.working_directory, then.working_directory, out);
  if (now.working_directory == then.working_directory)
    compare_texts(Differs::asked_directory, now.logical_directory, then.logical_directory, out);
  // The CUID is derived from the arguments, so it differs whenever they do.
  if (now.arguments == then.arguments) compare_texts(Differs::cuid, now.cuid, then.cuid, out);
  return out;
}

std::vector<ObservedDifference> compare_answers(const inputs::PathSet& set, const inputs::Answered& now,
                                                const inputs::Answered& then) {
  std::vector<ObservedDifference> out;
  const std::vector<Observation>& observations = set.observations();
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (!inputs::is_same(now[i], then[i])) out.push_back({i, compare_answer(observations[i], now[i], then[i])});
  // Names of one file have equal content. An edit of one of them separates them, and that edit is already reported.
  const bool edited = std::any_of(out.begin(), out.end(), [&](const ObservedDifference& one) {
    return inputs::asks_about_content(observations[one.index].question);
  });
  if (!edited && now.back() != then.back()) out.push_back({observations.size(), {Differs::same_files, "", "", ""}});
  return out;
}

Differences compare_steps(const HistoryStep& now, const HistoryStep& then, const std::vector<std::string>& makers) {
  Differences out;
  compare_programs(now, then, out);
  for (std::size_t i = 0; i < std::min(now.arguments.size(), then.arguments.size()); ++i)
    append(out, compare_arguments(now.arguments[i], then.arguments[i]));
  compare_inputs(now, then, makers, out);
  return out;
}

Differences within(const inputs::PathSet* part, const inputs::PathSet& set,
                   const std::vector<ObservedDifference>& differences) {
  Differences out;
  for (const ObservedDifference& one : differences) {
    const bool of_all = one.index >= set.observations().size();
    if (part == nullptr || of_all ||
        std::binary_search(part->observations().begin(), part->observations().end(), set.observations()[one.index]))
      out.push_back(one.difference);
  }
  return out;
}

Differences without_values(Differences differences, const HistoryRequest& now, const HistoryRequest& then) {
  const auto hidden = std::stable_partition(differences.begin(), differences.end(), [&](const Difference& difference) {
    return !is_argument(difference) || holds(now.arguments, difference.name) || holds(then.arguments, difference.name);
  });
  const bool any = hidden != differences.end();
  differences.erase(hidden, differences.end());
  if (any) differences.push_back({Differs::driver_arguments, "", "", ""});
  return differences;
}

void put_in_order(Differences& differences) {
  const auto key = [](const Difference& one) { return std::tie(one.kind, one.name, one.now, one.was); };
  // Arguments keep their order.
  std::stable_sort(differences.begin(), differences.end(),
                   [](const Difference& left, const Difference& right) { return left.kind < right.kind; });
  Differences once;
  for (Difference& difference : differences)
    if (std::none_of(once.begin(), once.end(), [&](const Difference& one) { return key(one) == key(difference); }))
      once.push_back(std::move(difference));
  differences = std::move(once);
}

}  // namespace hipcache::daemon
