// What the dynamic loader asked before any code of ours ran: its cache, its variables, and the places where it would
// have found another library first. The preload library cannot see this; it follows from which libraries were loaded.
#ifndef HIPCACHE_INPUTS_LOADER_H
#define HIPCACHE_INPUTS_LOADER_H

#include <cstdint>
#include <vector>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

void add_loader_questions(const trace::Trace& trace, const Surroundings& from, std::vector<Observation>& out);

// Whether the loader's cache changed at or after the time, where the set asks what it says.
bool is_cache_changed(const PathSet& set, std::uint64_t started_ns);

// Whether a library of the trace is a file that counts: not the kernel's (no slash) nor the tracer itself.
bool is_counted_library(std::string_view path);

}  // namespace hipcache::inputs

#endif
