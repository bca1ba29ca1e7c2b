// Whether a file belongs to the system, to a toolchain, or to a project.
#ifndef HIPCACHE_SRC_INPUTS_RULES_ORIGIN_H
#define HIPCACHE_SRC_INPUTS_RULES_ORIGIN_H

#include <string>
#include <string_view>

#include "hipcache/base/roots.h"

namespace hipcache::inputs {

// Headers of the system and of installed packages. Their macros are taken to use __FILE__ as text alone: none measures
// or hashes it.
bool is_installed(std::string_view path);

// Whether a toolchain outside of /usr has the file among its own. Other files in its directory may be a project's.
// `place`: absolute, or relative to the working directory.
bool is_toolchains_own(const std::string& place, const Roots& roots);

// Whether a compiler of the C family would read a file of that name as a source.
bool is_named_as_source(std::string_view path);

}  // namespace hipcache::inputs

#endif
