// The outputs of a run, as they were read, and what can be told of them at once.
#ifndef HIPCACHE_SRC_DAEMON_RUN_COLLECTED_OUTPUT_H
#define HIPCACHE_SRC_DAEMON_RUN_COLLECTED_OUTPUT_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/request/request_directory.h"
#include "daemon/request/step.h"
#include "daemon/run/relocatability.h"
#include "hipcache/base/result.h"
#include "hipcache/base/roots.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/hip/depfile.h"
#include "hipcache/inputs/run.h"

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

// Reads a file of that role. A depfile that names the checkout gets a form that is valid in every checkout, if it has
// one.
Result<CollectedOutput> collect_output(std::string role, const std::string& path, const Roots& roots);

// The same for a depfile of gcc or clang. `target`: the target that another command may replace; "" if none may.
Result<CollectedOutput> collect_depfile(const std::string& path, const Roots& roots, hip::DepfileForm form,
                                        const std::string& target);

// Whether one of them names the request's directory, which is removed. What a back end printed does not count: another
// step prints it. Neither does what a linker wrapper would have started: nobody gets that file.
std::optional<inputs::Refusal> names_directory(const std::vector<CollectedOutput>& outputs,
                                               const RequestDirectory& directory);

// What ties these outputs, and the run's messages, to their surroundings.
Relocatability relocatability_of(const hip::PrefixMaps& maps, const std::vector<CollectedOutput>& outputs,
                                 const cache::ActionResult& said, const inputs::RunContext& from);
// The same for a step's outputs, by what its command names as well.
Relocatability relocatability_of(const StepSpec& spec, const std::vector<CollectedOutput>& outputs,
                                 const cache::ActionResult& said, const inputs::RunContext& from);

// Whether the text consists of make rules only, as depfiles do: targets, a colon, files, with continued lines.
bool holds_only_rules(std::string_view bytes);

}  // namespace hipcache::daemon

#endif
