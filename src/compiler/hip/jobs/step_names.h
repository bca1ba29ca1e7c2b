// Names that steps give to files in the request's directory.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_STEP_NAMES_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_STEP_NAMES_H

#include <string>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// As an argument: the file `name` in the request's directory.
std::string placed(const std::string& name);

// "gfx90a.sramecc+" for "gfx90a:sramecc+": a colon separates paths in some options.
std::string file_name(const compiler::ArchId& arch);

}  // namespace hipcache::hip

#endif
