#include "daemon/explain/argument_changes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "hipcache/compiler/hip/fatbin_splice.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::daemon {

namespace {

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

namespace {

using protocol::Difference;
using protocol::Differs;
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

std::vector<Difference> compare_arguments(const std::vector<std::string>& arguments_now,
                                          const std::vector<std::string>& arguments_then) {
  const std::vector<std::string> now = units_of(arguments_now);
  const std::vector<std::string> then = units_of(arguments_then);
  const auto [now_begin, then_begin] = std::mismatch(now.begin(), now.end(), then.begin(), then.end());
  const auto [now_end, then_end] = std::mismatch(now.rbegin(), std::make_reverse_iterator(now_begin), then.rbegin(),
                                                 std::make_reverse_iterator(then_begin));
  return compare_middles({now_begin, now_end.base()}, {then_begin, then_end.base()});
}

}  // namespace hipcache::daemon
