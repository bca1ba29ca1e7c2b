// Arguments that name an open descriptor of the command instead of a file: /dev/stdin, /dev/fd/63, /proc/self/fd/0.
//
// The problem: what a descriptor holds cannot be asked for again, and the steps do not get the user's standard input,
// so a compile of /dev/stdin would make an empty object. The choice: find such names before anything runs, and pass the
// command through. A name that only a source mentions is refused by inputs, from the trace.
#ifndef HIPCACHE_SRC_COMMAND_DESCRIPTORS_H
#define HIPCACHE_SRC_COMMAND_DESCRIPTORS_H

#include <string>
#include <string_view>
#include <vector>

namespace hipcache::command {

// Whether the argument, or a part of it ("-include/dev/stdin", "-Wp,-include,/dev/fd/3"), names a descriptor. Relative
// names count from `working_directory`. By spelling alone.
bool names_descriptor(std::string_view argument, std::string_view working_directory);

// The first of the arguments after the compiler's name that does; empty if there is none.
std::string descriptor_among(const std::vector<std::string>& arguments, const std::string& working_directory);

}  // namespace hipcache::command

#endif
