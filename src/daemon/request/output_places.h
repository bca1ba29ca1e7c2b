// Checks the places of a compile's outputs for reasons against writing them from the cache.
//
// The compiler replaces an object by temporary file and rename. It writes a depfile in place, once per frontend job:
// the first job's depfile is complete when the second job starts. hipcache writes both once, at the end. If a compile
// could tell the difference, or the compiler treats an output specially (links, devices, read-only files), the compiler
// runs by itself.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_OUTPUT_PLACES_H
#define HIPCACHE_SRC_DAEMON_REQUEST_OUTPUT_PLACES_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::daemon {

// Checks the files that are in the places now. Touches the file system.
std::optional<compiler::Uncacheable> unusual_outputs(const compiler::Invocation& invocation,
                                                     const std::string& working_directory);

// The same for the places of a stored result's outputs.
std::optional<compiler::Uncacheable> unusual_places(const std::vector<std::string>& places,
                                                    const std::string& working_directory);

// The same for all outputs of a plan, including those that the driver named.
std::optional<compiler::Uncacheable> unusual_outputs(const hip::Plan& plan, const std::string& working_directory);

// Whether two absolute paths lead to one file, which need not exist.
bool are_one_file(const std::string& one, const std::string& other);

}  // namespace hipcache::daemon

#endif
