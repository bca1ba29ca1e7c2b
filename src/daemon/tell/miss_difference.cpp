#include "daemon/tell/miss_difference.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "hipcache/base/checksum.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/fatbin_splice.h"
#include "hipcache/compiler/option_facts.h"

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
      return {Differs::macro, kOneOfAll, "", ""};
    case Question::environment:
      return {Differs::variable_changed, observation.name.empty() ? kOneOfAll : "(of a shell or Perl)", "", ""};
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

constexpr std::string_view kTargets = "-targets=";

// Whether the word's value is the next word. Where the table lacks the option, the two are shown as two arguments.
bool takes_value(std::string_view word) {
  return word.starts_with("-Xarch_") ||
         compiler::option_has(word, compiler::facts::takes_next | compiler::facts::job_takes_next);
}

// "<output>", "-input=<device>", and the fatbin's placeholder.
bool is_placeholder(std::string_view word) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"<bundle>", "<code object>", "<device>", "<fatbin>", "<host>", "<object>",
                                       "<output>", "<package>", "<part>", "<program>", "<source>"});
  if (word == hip::kPlaceholderFatbin) return true;
  const auto is_there = [&](std::string_view name) { return word == name || word.ends_with("=" + std::string(name)); };
  return word.ends_with('>') && std::any_of(kNames.begin(), kNames.end(), is_there);
}

void add_targets(std::string_view list, std::vector<std::string>& units) {
  for (;;) {
    const std::size_t comma = list.find(',');
    units.push_back(std::string(kTargets).append(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

using Words = std::span<const std::string>;

// More cells than ordinary commands need. Beyond this, everything between the common prefix and suffix counts as
// changed.
constexpr std::size_t kMaxCells = 4'000'000;

// at(i, j): the length of the longest common subsequence of now[i..] and then[j..].
class Common {
 public:
  Common(Words now, Words then) : columns_(then.size() + 1), lengths_((now.size() + 1) * columns_) {
    for (std::size_t i = now.size(); i-- > 0;)
      for (std::size_t j = then.size(); j-- > 0;)
        cell(i, j) = now[i] == then[j] ? cell(i + 1, j + 1) + 1 : std::max(cell(i + 1, j), cell(i, j + 1));
  }
  std::uint32_t at(std::size_t i, std::size_t j) const { return lengths_[i * columns_ + j]; }

 private:
  std::uint32_t& cell(std::size_t i, std::size_t j) { return lengths_[i * columns_ + j]; }

  std::size_t columns_;
  std::vector<std::uint32_t> lengths_;
};

// One argument that is only in one of the lists. `run`: arguments of one run stand beside each other.
struct Change {
  Differs kind = Differs::argument_added;
  std::string unit;
  std::size_t run = 0;
};

class Changes {
 public:
  void add(Differs kind, const std::string& unit) { all_.push_back({kind, unit, run_}); }
  void end_run() { ++run_; }
  std::vector<Difference> finish() {
    find_moved();
    return joined();
  }

 private:
  // What was removed in one place and added in another has moved.
  void find_moved() {
    std::multimap<std::string, std::size_t> removed;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].kind == Differs::argument_removed) removed.emplace(all_[i].unit, i);
    for (Change& added : all_) {
      if (added.kind != Differs::argument_added) continue;
      const auto origin = removed.find(added.unit);
      if (origin == removed.end()) continue;
      added.kind = Differs::argument_moved;
      all_[origin->second].unit.clear();
      removed.erase(origin);
    }
    std::erase_if(all_, [](const Change& change) { return change.unit.empty(); });
  }

  // Each run of one kind is one difference.
  std::vector<Difference> joined() const {
    std::vector<Difference> differences;
    const Change* last = nullptr;
    for (const Change& change : all_) {
      if (last != nullptr && last->kind == change.kind && last->run == change.run)
        differences.back().name += " " + change.unit;
      else
        differences.push_back({change.kind, change.unit, "", ""});
      last = &change;
    }
    return differences;
  }

  std::vector<Change> all_;
  std::size_t run_ = 0;
};

std::vector<Difference> compare_middles(Words now, Words then) {
  Changes changes;
  if (now.size() * then.size() > kMaxCells) {
    for (const std::string& word : then) changes.add(Differs::argument_removed, word);
    for (const std::string& word : now) changes.add(Differs::argument_added, word);
    return changes.finish();
  }
  const Common common(now, then);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < now.size() || j < then.size()) {
    if (i < now.size() && j < then.size() && now[i] == then[j]) {
      changes.end_run();
      ++i, ++j;
    } else if (j == then.size() || (i < now.size() && common.at(i + 1, j) >= common.at(i, j + 1))) {
      changes.add(Differs::argument_added, now[i++]);
    } else {
      changes.add(Differs::argument_removed, then[j++]);
    }
  }
  return changes.finish();
}

}  // namespace

std::vector<std::string> units_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> units;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (is_placeholder(word)) continue;
    if (word.starts_with(kTargets)) {
      add_targets(std::string_view(word).substr(kTargets.size()), units);
    } else if (takes_value(word) && i + 1 < arguments.size()) {
      const std::string& value = arguments[++i];
      if (!is_placeholder(value)) units.push_back(word + " " + (value.empty() ? "\"\"" : value));
    } else {
      units.push_back(word.empty() ? "\"\"" : word);
    }
  }
  return units;
}

std::vector<Difference> compare_arguments(const std::vector<std::string>& arguments_now,
                                          const std::vector<std::string>& arguments_then) {
  const std::vector<std::string> now = units_of(arguments_now);
  const std::vector<std::string> then = units_of(arguments_then);
  const auto [now_begin, then_begin] = std::mismatch(now.begin(), now.end(), then.begin(), then.end());
  const auto [now_end, then_end] = std::mismatch(now.rbegin(), std::make_reverse_iterator(now_begin), then.rbegin(),
                                                 std::make_reverse_iterator(then_begin));
  return compare_middles({now_begin, now_end.base()}, {then_begin, then_end.base()});
}

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
