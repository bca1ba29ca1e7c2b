// Finds files that a compile read and that mention a root by its absolute name, or ask for their
// own names.
//
// Problem: a path below a root is asked about relative to the root. That is right only if the
// request brought the path in. Suppose a header outside of a build directory says #include
// "/build/x.h": every build then reads that file. Asked as the "x.h" of another build directory, it
// would be another file. A second problem is a source that measures or hashes its own name
// (sizeof(__FILE__)): the object then depends on the checkout and does not show it.
//
// Choice: search every file that was read, wherever it lies, for the names of the roots. Search the
// files below a root for expressions that ask for their own names. A macro asks for the name of the
// file that uses it. So these further files are searched as well:
// - code in a build directory that nobody named as a root, unless that code was installed;
// - files in a toolchain's directory that do not belong to the toolchain.
// If a base directory is set, headers outside of it are exempt: there such macros are mostly error
// macros, whose text stays text. Programs, libraries and archives of objects are not searched as
// texts, because a compiler's own binary contains these words. Programs and libraries may still
// name a toolchain's directory (inputs/mentions/mentions.cpp).
//
// Names of types show files, too: clang's __PRETTY_FUNCTION__ says "(lambda at /b/x.h:4:30)". The
// word and the lambda may stand in different files. So a word in a file below a root ties all roots
// that have code, and one in a file that is not installed ties code in build directories. gcc names
// no files there, so its compiles are exempt. __func__ and __builtin_FUNCTION show no types in clang.
//
// A third problem is an #include that completes the name of a root: "one/x.h" with -I/p and the root
// /p/one. If the compiler looked at a directory above a root, the texts are searched for the rest
// of the root's name behind '<' or '"'. A name that macros assemble is not found.
//
// Rejected: finding out from the trace who brought a path in; the kernel does not know.
//
// Of code in a build directory, only files that may use such a macro count
// (inputs/mentions/own_name_macros.h).
#ifndef HIPCACHE_INPUTS_MENTIONS_H
#define HIPCACHE_INPUTS_MENTIONS_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {

struct OwnName {
  RootMask root = 0;
  std::string path;
  std::string where;  // for messages: "PATH:12", "PATH:12 (by CHECK)"; the path alone if no line is known
  // A prefix map replaces the name, as it does for __FILE__. clang 15 does not map the names in names
  // of types.
  bool is_mapped = true;
};

struct Mentions {
  RootMask shown = 0;  // mentioned by some file in any way
  // Mentioned by some file as complete path components (Roots::named_in_text).
  RootMask named = 0;
  // Files in roots that ask for their own names, may do so, or cannot be read.
  std::vector<OwnName> own_names;
};

// What the files say that a run or a stored compile read. `arguments`: of the command, which may define macros.
Mentions mentions_in(const std::vector<Observation>& observations, const RunContext& from,
                     const std::vector<std::string>& arguments, FileSystemState& file_system);

class SourceUse;  // private to the folder, as the next one is
// The same with what is known of these files. A file with a relative name has a relative __FILE__, too. Reads files
// that were not searched for these roots yet; remembers the findings by content.
Mentions mentions_in(const SourceUse& use, const std::vector<Observation>& observations, const RunContext& from,
                     FileSystemState& file_system);

}  // namespace hipcache::inputs

#endif
