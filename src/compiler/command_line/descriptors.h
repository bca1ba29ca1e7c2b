// Finds arguments that name an open descriptor of the command instead of a file: /dev/stdin,
// /dev/fd/63, /proc/self/fd/0.
//
// Problem: the bytes behind a descriptor cannot be read twice. Steps do not get the user's standard
// input either, so a compile of /dev/stdin would make an empty object.
// Choice: find such names before anything runs, and pass the command through. If only a source
// names a descriptor, the inputs folder refuses the run from its trace.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_DESCRIPTORS_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_DESCRIPTORS_H

#include <string>
#include <string_view>
#include <vector>

namespace hipcache::compiler {

// Whether the argument, or a part of it ("-include/dev/stdin", "-Wp,-include,/dev/fd/3"), names a
// descriptor. Relative names are relative to `working_directory`. Looks at the spelling only.
bool names_descriptor(std::string_view argument, std::string_view working_directory);

// Whether the argument names a device other than /dev/null: a terminal, a pipe, a descriptor of the
// shell. Files in /dev/shm are ordinary files.
bool names_device(std::string_view argument);

// The first argument after the compiler's name that names a descriptor, or "".
std::string descriptor_among(const std::vector<std::string>& arguments, const std::string& working_directory);

}  // namespace hipcache::compiler

#endif
