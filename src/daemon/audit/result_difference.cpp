#include "daemon/audit/result_difference.h"

#include <algorithm>

namespace hipcache::daemon {
namespace {

using cache::ActionResult;
using cache::Output;
using Side = ResultDifference::Side;

const Output* same_output(const ActionResult& in, const Output& as) {
  const auto found = std::find_if(in.outputs.begin(), in.outputs.end(),
                                  [&](const Output& one) { return one.name == as.name && one.place == as.place; });
  return found == in.outputs.end() ? nullptr : &*found;
}

bool are_equal(const Output& one, const Output& other) {
  return one.blob == other.blob && one.executable == other.executable;
}

Side side_of(const Output& output) { return {.digest = output.blob, .size = output.size, .text = {}}; }

Side side_of(const std::string& text) { return {.digest = digest_of(text), .size = text.size(), .text = text}; }

void compare_text(const char* name, const std::string& stored, const std::string& made,
                  std::vector<ResultDifference>& into) {
  if (stored != made) into.push_back({name, "", side_of(stored), side_of(made)});
}

std::string shown(const std::optional<Side>& side) { return side ? side->digest.shown() : "none"; }

}  // namespace

std::vector<ResultDifference> differences_of(const ActionResult& stored, const ActionResult& made) {
  std::vector<ResultDifference> differences;
  for (const Output& output : stored.outputs) {
    const Output* now = same_output(made, output);
    if (now == nullptr)
      differences.push_back({output.name, output.place, side_of(output), std::nullopt});
    else if (!are_equal(output, *now))
      differences.push_back({output.name, output.place, side_of(output), side_of(*now)});
  }
  for (const Output& output : made.outputs)
    if (same_output(stored, output) == nullptr)
      differences.push_back({output.name, output.place, std::nullopt, side_of(output)});
  compare_text("stdout", stored.stdout_text, made.stdout_text, differences);
  compare_text("stderr", stored.stderr_text, made.stderr_text, differences);
  return differences;
}

std::string to_text(const ResultDifference& difference) {
  const std::string where = difference.place.empty() ? "" : " " + difference.place;
  return difference.what + where + " (stored " + shown(difference.stored) + ", made now " + shown(difference.made) +
         ")";
}

}  // namespace hipcache::daemon
