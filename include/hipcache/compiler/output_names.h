// The names that an opaque compile of one source gives to its outputs: the object, the depfile, the
// depfile's target.
//
// Problem: the same compile with another -o is another command, though hardly any compiler writes
// the object's name into the object. A project that compiles a source for two libraries pays twice.
// Choice: if these names, and all options that derive names from them, are known, the key has
// placeholders instead. A stored result says which of its files is which. The result is searched
// for the names, in case it shows one all the same (daemon/record/relocatability.h).
// Rejected: leaving -o out of every key, since some options derive further outputs, and even inputs
// (-fprofile-use), from it.
#ifndef HIPCACHE_COMPILER_OUTPUT_NAMES_H
#define HIPCACHE_COMPILER_OUTPUT_NAMES_H

#include <string>
#include <vector>

namespace hipcache::compiler {

// Placeholders for the names, in keys and in the output paths of stored results.
inline constexpr const char* kObjectName =
    "\x01"
    "object"
    "\x01";
inline constexpr const char* kDepfileName =
    "\x01"
    "depfile"
    "\x01";
inline constexpr const char* kTargetName =
    "\x01"
    "target"
    "\x01";

struct OutputNames {
  std::string object;  // the value of -o
  // The value of -MF, or the name that compilers derive with -MD; "": no depfile is written.
  std::string depfile;
  std::string target;              // of the depfile; "" if there is none
  std::vector<std::string> keyed;  // the command with placeholders
};

}  // namespace hipcache::compiler

#endif
