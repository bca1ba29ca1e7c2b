// What LD_PRELOAD and /etc/ld.so.preload name. The loader loads each entry that it can, and passes over the others with
// a message. So an entry that is missing now, or is no library, is an input: it may be one later.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_PRELOADED_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_PRELOADED_H

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

inline constexpr const char* kPreloadFile = "/etc/ld.so.preload";

struct Preloaded {
  std::set<std::string> names;  // without a directory: the loader looks for them as for any library
  std::set<std::string> paths;  // tokens ($ORIGIN, ...) replaced by all their values; may be relative
};

Preloaded preloaded_by(const trace::Trace& trace, const RunContext& from);

// Asks for the content of each path, and for each name in each of the directories. Refuses a library that exists and
// was not loaded: the cause may be any library that it needs.
std::optional<Refusal> add_preload_questions(const Preloaded& preloaded, const trace::Trace& trace,
                                             const RunContext& from, const std::set<std::string>& directories,
                                             std::vector<Observation>& out);

}  // namespace hipcache::inputs

#endif
