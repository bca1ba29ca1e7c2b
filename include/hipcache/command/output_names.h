// The names that an opaque compile of one source gives to what it writes: the object, the depfile, the depfile's
// target.
//
// The problem: the same compile under another -o is another command, though hardly any compiler writes the object's
// name into it. A project that compiles a source for two libraries pays twice. The choice: where these names and all
// options that make other names of them are known, the key has placeholders in their places, and a stored result says
// which of its files is which. Whether a result shows a name all the same is decided by looking into it
// (daemon/name_tie.h). Rejected: to leave -o out of every key; some options derive further outputs, and even inputs
// (-fprofile-use), of it.
#ifndef HIPCACHE_COMMAND_OUTPUT_NAMES_H
#define HIPCACHE_COMMAND_OUTPUT_NAMES_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hipcache::command {

// What stands for the names in keys and in the places of stored outputs.
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
  std::string object;              // the value of -o
  std::string depfile;             // of -MF, or what compilers derive with -MD; "": none is written
  std::string target;              // of the depfile; "" where there is none
  std::vector<std::string> keyed;  // the command with placeholders
};

// `options`: the positions in `arguments` of what is neither an input nor the value of the option before it. Nothing
// for a command that may use a name in a way that is not known.
std::optional<OutputNames> output_names(const std::vector<std::string>& arguments,
                                        const std::vector<std::size_t>& options,
                                        const std::vector<std::string>& inputs);

}  // namespace hipcache::command

#endif
