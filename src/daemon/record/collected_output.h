// An output of a run, as it was read.
#ifndef HIPCACHE_SRC_DAEMON_RECORD_COLLECTED_OUTPUT_H
#define HIPCACHE_SRC_DAEMON_RECORD_COLLECTED_OUTPUT_H

#include <string>

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

}  // namespace hipcache::daemon

#endif
