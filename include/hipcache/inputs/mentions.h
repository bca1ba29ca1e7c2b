// Files that a compile read and that speak of directories: of a root by its absolute name, or of themselves.
//
// The problem: a name below a root is asked about relative to it, so it has to be the request that brought it in. A
// header outside of a build directory that says #include "/build/x.h" leads every build to that very file; asked as the
// "x.h" of another build directory it would be another file. And a source that asks for its own name (__FILE__) may
// measure or hash it (sizeof(__FILE__)), so that its checkout ties the object unseen. The choice: look into every file
// that was read, wherever it lies, for the names of the roots, and into those that lie in a root for what asks for
// their own name. A macro asks for the name of the file that it is used in: so code in a build directory, which nobody
// named as a root, asks where any other file does, unless that was installed. The same holds of what lies in a
// toolchain's directory and is not the toolchain's. Who sets a base directory has headers
// outside of it taken for what they mostly are: error macros, whose text stays text. Programs, libraries and archives
// of objects are no texts, though a compiler's own holds these words; programs and libraries may name a toolchain's
// directory all the same (inputs/program_mentions.h). Rejected: to tell by the trace who brought a name
// in, which the kernel does not know.
#ifndef HIPCACHE_INPUTS_MENTIONS_H
#define HIPCACHE_INPUTS_MENTIONS_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"

namespace hipcache::inputs {

struct OwnName {
  RootMask root = 0;
  std::string path;
};

struct Mentions {
  RootMask shown = 0;              // that some file mentions in any way
  RootMask named = 0;              // that some file names as a whole (Roots::named_in_text)
  std::vector<OwnName> own_names;  // files in roots that ask for their own names or may, or cannot be looked into
};

bool asks_its_own_name(std::string_view source);

// Of all files whose content is asked for. Names may be portable. A file with a relative name has a relative name for
// itself, too. Reads files that have not been looked into for these roots yet; remembers what it found by content.
Mentions mentions_in(const std::vector<Observation>& observations, const Surroundings& from, World& world);

}  // namespace hipcache::inputs

#endif
