// The libraries that a program loads at its start, found without starting it: what its file and theirs say
// (DT_NEEDED), in the directories that they name (DT_RUNPATH) and in the loader's own.
//
// Not asked: LD_LIBRARY_PATH and the loader's cache, which differ between users and change with each installed package.
// A library that only these lead to is missing from the list.
#ifndef HIPCACHE_INPUTS_LOADED_LIBRARIES_H
#define HIPCACHE_INPUTS_LOADED_LIBRARIES_H

#include <set>
#include <string>

namespace hipcache::inputs {

// Resolved paths; no more than 1,000. Empty if the program is a script or static. Reads the files' headers.
std::set<std::string> libraries_loaded_by(const std::string& program);

}  // namespace hipcache::inputs

#endif
