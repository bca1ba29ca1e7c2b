// Compares a stored result with one that a run made now: what the user would get of each.
//
// All outputs are compared by name, place, digest and mode, in any order; then the messages. Depfiles are outputs. Not
// compared: the time that the run took, and how an existing file is written over, which depends on the file.
#ifndef HIPCACHE_SRC_DAEMON_AUDIT_RESULT_DIFFERENCE_H
#define HIPCACHE_SRC_DAEMON_AUDIT_RESULT_DIFFERENCE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/cache/action_cache.h"

namespace hipcache::daemon {

// One thing that differs; a side that lacks it is empty.
struct ResultDifference {
  struct Side {
    Digest digest;
    std::uint64_t size = 0;
    std::optional<std::string> text;  // of messages; the bytes of an output are in the store
  };
  std::string what;   // the output's name ("object"), "stdout" or "stderr"
  std::string place;  // the output's, as stored; empty if it has none
  std::optional<Side> stored, made;
};

// Empty if the results are equal.
std::vector<ResultDifference> differences_of(const cache::ActionResult& stored, const cache::ActionResult& made);

// "object a.o (stored 0123456789abcdef, made now fedcba9876543210)", for the log.
std::string to_text(const ResultDifference& difference);

}  // namespace hipcache::daemon

#endif
