// Whether a wrapper header serves a job whose command has more search directories than the header's (plan.h,
// Preamble::left_out_directories).
//
// The problem: each target of a project has other -I options, and a header for each set of them would seldom pay. The
// choice: a header is made without them. They come before all directories of the system, and files that the text names
// are looked for in order. So the text is the same if none of them has one of these names. That they are absent
// becomes a part of what the job's result stands on. Rejected: the names by a scan of the text's includes, because
// conditions and macros decide which count. The questions of the header's own run have them all.
#ifndef HIPCACHE_SRC_DAEMON_RUN_PREAMBLE_SEARCH_H
#define HIPCACHE_SRC_DAEMON_RUN_PREAMBLE_SEARCH_H

#include <optional>

#include "daemon/request/request_context.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/inputs/path_set_builder.h"

namespace hipcache::daemon {

// What the header stands on, with the absence of each name in each of the left out directories. Nothing if one of them
// may have such a name, or if it is not known what the text looks for.
std::optional<inputs::Witnessed> with_absences(const hip::Preamble& preamble, const inputs::Witnessed& header,
                                               const RequestContext& context);

}  // namespace hipcache::daemon

#endif
