// The words of a command: response files expanded, and names of descriptors and devices found among them.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_ARGUMENTS_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_ARGUMENTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::compiler {

// Finds arguments that name an open descriptor of the command instead of a file: /dev/stdin,
// /dev/fd/63, /proc/self/fd/0.
//
// Problem: the bytes behind a descriptor cannot be read twice. Steps do not get the user's standard
// input either, so a compile of /dev/stdin would make an empty object.
// Choice: find such names before anything runs, and pass the command through. If only a source
// names a descriptor, the inputs folder refuses the run from its trace.

// Whether the argument, or a part of it ("-include/dev/stdin", "-Wp,-include,/dev/fd/3"), names a
// descriptor. Relative names are relative to `working_directory`. Looks at the spelling only.
bool names_descriptor(std::string_view argument, std::string_view working_directory);

// Whether the argument names a device other than /dev/null: a terminal, a pipe, a descriptor of the
// shell. Files in /dev/shm are ordinary files.
bool names_device(std::string_view argument);

// The first argument after the compiler's name that names a descriptor.
std::optional<std::string> descriptor_among(const std::vector<std::string>& arguments,
                                            const std::string& working_directory);

// Expands @file arguments as clang's driver does: GNU quoting, nested, names relative to the
// working directory (not to the file that names them). Used only to parse a command; the compiler
// gets the argv as typed.
//
// A file that is missing, unreadable, refers to itself or exceeds the limits is an error. The error
// names the file. clang may treat such a file as a plain argument or fail, so the compiler must
// decide.

inline constexpr std::size_t kMaxResponseDepth = 16;
inline constexpr std::uint64_t kMaxResponseBytes = 1 << 20;  // of all files of a command together
inline constexpr std::size_t kMaxResponseFiles = 1024;       // per command; a file counts each time it is named

struct ExpandedArguments {
  std::vector<std::string> arguments;
  std::vector<std::string> files;  // absolute, in the order read, each once
};

Result<ExpandedArguments> expand_response_files(const std::vector<std::string>& argv,
                                                const std::string& working_directory);

}  // namespace hipcache::compiler

#endif
