// Which programs are taken for a driver that compiles: by name, as clang itself decides what mode to run in.
#ifndef HIPCACHE_SRC_COMMAND_COMPILER_NAME_H
#define HIPCACHE_SRC_COMMAND_COMPILER_NAME_H

#include <string_view>

namespace hipcache::command {

// "clang", "clang++-19", "/opt/rocm/bin/amdclang++", "x86_64-linux-gnu-clang": yes. "clang-cl", "clang-cpp", "hipcc":
// no.
bool is_clang_driver(std::string_view path);

// The script, or program, around clang that takes C++ for HIP.
bool is_hipcc(std::string_view path);

// The same or a driver of GCC's, of whatever kind ("cc", "x86_64-linux-gnu-g++-12"), or hipcc, which runs one.
bool is_compiler(std::string_view path);

}  // namespace hipcache::command

#endif
