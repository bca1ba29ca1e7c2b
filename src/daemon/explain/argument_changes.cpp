#include "daemon/explain/argument_changes.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace hipcache::daemon {
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

// Joins each run of changed arguments into one difference.
class Changes {
 public:
  void add(Differs kind, const std::string& word) {
    if (run_.kind != kind) end_run();
    run_.kind = kind;
    if (!run_.name.empty()) run_.name += ' ';
    run_.name += word.empty() ? "\"\"" : word;
  }
  void end_run() {
    if (!run_.name.empty()) all_.push_back(std::exchange(run_, {}));
  }
  std::vector<Difference> finish() {
    end_run();
    join_moved();
    return std::move(all_);
  }

 private:
  // A run that was removed in one place and added in another has moved.
  void join_moved() {
    for (Difference& added : all_) {
      if (added.kind != Differs::argument_added) continue;
      const auto removed = std::find_if(all_.begin(), all_.end(), [&](const Difference& other) {
        return other.kind == Differs::argument_removed && other.name == added.name;
      });
      if (removed == all_.end()) continue;
      added.kind = Differs::argument_moved;
      removed->name.clear();
    }
    std::erase_if(all_, [](const Difference& one) { return one.name.empty(); });
  }

  Difference run_;
  std::vector<Difference> all_;
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

std::vector<Difference> compare_arguments(const std::vector<std::string>& now, const std::vector<std::string>& then) {
  const auto [now_begin, then_begin] = std::mismatch(now.begin(), now.end(), then.begin(), then.end());
  const auto [now_end, then_end] = std::mismatch(now.rbegin(), std::make_reverse_iterator(now_begin), then.rbegin(),
                                                 std::make_reverse_iterator(then_begin));
  return compare_middles({now_begin, now_end.base()}, {then_begin, then_end.base()});
}

}  // namespace hipcache::daemon
