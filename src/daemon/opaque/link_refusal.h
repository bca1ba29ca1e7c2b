// Reasons against storing the result of a link or of an archiver, in addition to those for any opaque compile: size,
// random names and numbers, times in archives.
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_LINK_REFUSAL_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_LINK_REFUSAL_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/request/step_context.h"
#include "daemon/steps/output_recorder.h"
#include "daemon/steps/step_state.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/inputs/written_outputs.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// What a run wrote, by its trace.
struct WrittenFiles {
  const std::vector<trace::Record>& records;
  const std::vector<inputs::WrittenOutput>& files;
  std::uint64_t updated_as = 0;  // identity of the request's `updated` file just before the run (trace/seen.h); 0: none
};

// The absolute path of a link's output; empty if the command is no link.
std::string linked_file(const Request& request);

// Which files the command may read before it writes them.
inputs::ReadAndWritten read_and_written(const Request& request);

// Called before the files are read, because they may be large. Keeps the answer for the next such request.
std::optional<inputs::Refusal> too_large(const StepState& state, const std::vector<inputs::WrittenOutput>& files,
                                         const RequestContext& context);

// Nothing for compiles.
std::optional<inputs::Refusal> refusal_of_link(const WrittenFiles& written, const std::vector<CollectedOutput>& made,
                                               const StepContext& context);

}  // namespace hipcache::daemon

#endif
