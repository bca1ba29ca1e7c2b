// Expands @file arguments as clang's driver does: GNU quoting, nested, names relative to the
// working directory (not to the file that names them). Used only to parse a command; the compiler
// gets the argv as typed.
//
// A file that is missing, unreadable, refers to itself or exceeds the limits is an error. The error
// names the file. clang may treat such a file as a plain argument or fail, so the compiler must
// decide.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_RESPONSE_FILES_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_RESPONSE_FILES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::compiler {

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
