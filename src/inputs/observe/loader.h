// What the dynamic loader read before the preload library ran: its cache, its variables, and the places where it would
// have found another library first. The preload library cannot see this; it is derived from the libraries that were
// loaded.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_LOADER_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_LOADER_H

#include <cstdint>
#include <optional>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/trace/record.h"
#include "inputs/loader/loader_cache.h"

namespace hipcache::inputs {

// Refuses a run if what the loader looked for cannot be asked again.
std::optional<Refusal> add_loader_questions(const trace::Trace& trace, const RunContext& from,
                                            std::vector<Observation>& out);

// Whether the loader's cache changed at or after `started_ns` in what the set asks of it. `before` and `now` are the
// caches at that time and when the set was answered. Without them any change counts. Assumes that nobody changes
// entries while the step runs and changes them back.
bool is_cache_changed(const PathSet& set, std::uint64_t started_ns, const LoaderCache* before, const LoaderCache* now);

// Whether a library of the trace counts as a file: neither the kernel's (no slash) nor the tracer itself.
bool is_counted_library(std::string_view path);

}  // namespace hipcache::inputs

#endif
