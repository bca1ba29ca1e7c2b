// Programs and libraries that have a toolchain's directory written into them.
//
// Where a program looks for files may be a part of it. One that names a directory leads there from wherever else it
// lies; asked relative to the toolchain, what it found would be another file. A base directory is named by its user,
// who says so for what lies there; nobody does for a toolchain's.
#ifndef HIPCACHE_SRC_INPUTS_PROGRAM_MENTIONS_H
#define HIPCACHE_SRC_INPUTS_PROGRAM_MENTIONS_H

#include <string>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/world.h"

namespace hipcache::inputs {

// The toolchain's root if it is one of the roots, and the file is a program or a library that names it or cannot be
// read; else none. Looks once into each content.
RootMask named_by_program(const std::string& path, const Roots& roots, World& world);

}  // namespace hipcache::inputs

#endif
