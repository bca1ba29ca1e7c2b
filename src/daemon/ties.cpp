#include "daemon/ties.h"

#include <algorithm>
#include <string>

#include "hipcache/plan/cuid.h"

namespace hipcache::daemon {
namespace {

constexpr std::string_view kMap = "-fmacro-prefix-map=";

// "-fmacro-prefix-map=/base=NEW", where NEW does not bring the directory back.
bool maps_base(std::string_view argument, const BaseDirectory& base) {
  if (!argument.starts_with(kMap)) return false;
  argument.remove_prefix(kMap.size());
  if (!argument.starts_with(base.path())) return false;
  argument.remove_prefix(base.path().size());
  if (argument.starts_with('/')) argument.remove_prefix(1);
  return argument.starts_with('=') && !base.shows_in(argument);
}

std::size_t maps_in(const std::vector<std::string>& argv) {
  return static_cast<std::size_t>(
      std::count_if(argv.begin(), argv.end(), [](const std::string& one) { return one.starts_with(kMap); }));
}

}  // namespace

void Ties::look_into(std::string_view bytes, const inputs::Surroundings& from) {
  base = base || from.base.shows_in(bytes);
  cuid = cuid || plan::shows_cuid(bytes, from.cuid);
}

// More than one map could undo each other: then the sources are looked into.
bool maps_own_names(const plan::Step& step, const BaseDirectory& base) {
  if (!base.is_set()) return false;
  return std::any_of(step.keyed.begin(), step.keyed.end(), [&](const std::vector<std::string>& argv) {
    return maps_in(argv) == 1 &&
           std::any_of(argv.begin(), argv.end(), [&](const std::string& one) { return maps_base(one, base); });
  });
}

}  // namespace hipcache::daemon
