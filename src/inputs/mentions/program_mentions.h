// Programs and libraries that contain the path of a toolchain's directory.
//
// A program may have the place of its files built in. Such a program finds them there wherever the program itself lies.
// If that place were asked about relative to the toolchain, it would be another file in another toolchain. For a base
// directory the user vouches that this does not happen. Nobody vouches for a toolchain's directory.
#ifndef HIPCACHE_SRC_INPUTS_MENTIONS_PROGRAM_MENTIONS_H
#define HIPCACHE_SRC_INPUTS_MENTIONS_PROGRAM_MENTIONS_H

#include <string>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/file_system_state.h"

namespace hipcache::inputs {

// The mask of the toolchain's root if a program or library names that root, or the file cannot be read. Otherwise 0,
// also if no root is a toolchain's. Reads each content once.
RootMask named_by_program(const std::string& path, const Roots& roots, FileSystemState& file_system);

}  // namespace hipcache::inputs

#endif
