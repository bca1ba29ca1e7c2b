#include "daemon/explain/tie_list.h"

#include <algorithm>
#include <utility>

#include "hipcache/base/readable.h"

namespace hipcache::daemon {
namespace {

using protocol::Tie;
using protocol::TiedBy;

// Shown of one kind. Files are many, and one mend serves all of them.
std::size_t most_of(TiedBy by) {
  switch (by) {
    case TiedBy::absolute_path:
    case TiedBy::file_time:
    case TiedBy::equal_times:
    case TiedBy::machine_file:
      return 1;
    default:
      return 3;
  }
}

bool holds(const std::vector<Tie>& ties, const Tie& tie) {
  return std::any_of(ties.begin(), ties.end(), [&](const Tie& one) {
    return one.by == tie.by && one.name == tie.name && one.other == tie.other;
  });
}

}  // namespace

void TieList::add(TiedBy by, std::string name, std::string other) {
  Tie tie{.by = by, .name = std::move(name), .other = std::move(other), .more = 0};
  if (holds(ties_, tie) || holds(counted_, tie)) return;
  const auto is_of_kind = [&](const Tie& one) { return one.by == by; };
  const auto shown = static_cast<std::size_t>(std::count_if(ties_.begin(), ties_.end(), is_of_kind));
  if (shown < most_of(by)) return ties_.push_back(std::move(tie));
  ++std::find_if(ties_.rbegin(), ties_.rend(), is_of_kind)->more;
  counted_.push_back(std::move(tie));
}

void TieList::keep_ties_to_machine() {
  std::erase_if(ties_, [](const Tie& tie) { return protocol::tied_to(tie.by) != "machine"; });
}

std::vector<Tie> TieList::take() {
  std::stable_sort(ties_.begin(), ties_.end(), [](const Tie& left, const Tie& right) { return left.by < right.by; });
  for (Tie& tie : ties_)
    for (std::string* text : {&tie.name, &tie.other}) *text = readable(*text);
  counted_.clear();
  return std::exchange(ties_, {});
}

}  // namespace hipcache::daemon
