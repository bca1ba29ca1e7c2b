// What the compile of one source is known to ask for: which files an action brings to a worker, and which variables.
//
// Sources, in this order: what steps of this request read that ran here, the newest compiles of the same object
// (cache/miss_history.h), and else a scan: the frontend's own command, without making anything. A name too few costs
// an action that is not proved, and a name too many its bytes.
//
// A value; used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_INPUT_NAMES_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_INPUT_NAMES_H

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/step/step.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

struct InputNames {
  std::set<std::string> paths;      // absolute, as the compiler spelled them: with ".." and links
  std::set<std::string> variables;  // by name

  void add(const inputs::PathSet& set, const inputs::RunContext& from);
  void add(const std::vector<trace::Record>& records, const std::string& working_directory);
  bool empty() const { return paths.empty(); }
};

// Those of earlier compiles; empty if there were none.
InputNames names_in_history(const RequestContext& context);

// The step that scans the sources of a device step; nothing if its first command is no frontend's of clang.
std::optional<StepSpec> scan_of(const StepSpec& device);

}  // namespace hipcache::daemon

#endif
