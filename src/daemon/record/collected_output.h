// An output of a run, as it was read.
#ifndef HIPCACHE_SRC_DAEMON_RECORD_COLLECTED_OUTPUT_H
#define HIPCACHE_SRC_DAEMON_RECORD_COLLECTED_OUTPUT_H

#include <string>
#include <string_view>

namespace hipcache::daemon {

// An output of a run, in the form to be stored. `place` and the two flags below are set only for opaque compiles; for
// steps, the plan has them.
struct CollectedOutput {
  std::string role;
  std::string bytes;
  bool executable = false;
  std::string place;
  bool in_place = false;
  bool in_place_if_empty = false;
};

// Whether the text consists of make rules only, as depfiles do: targets, a colon, files, with continued lines.
bool holds_only_rules(std::string_view bytes);

}  // namespace hipcache::daemon

#endif
