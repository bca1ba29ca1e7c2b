// Tells from a program's name whether it is a driver or a cache, as clang decides its own mode: for commands, and for
// code that watches which programs run.
//
// The name only decides what is tried. A program that is named like a driver must still print a
// driver's jobs. Thread-safe.
#ifndef HIPCACHE_COMPILER_DRIVER_NAME_H
#define HIPCACHE_COMPILER_DRIVER_NAME_H

#include <string_view>

namespace hipcache::compiler {

// "clang", "/usr/lib/llvm-19/bin/clang++-19", "x86_64-linux-gnu-clang", "amdclang++". Not "clang-cl" and "clang-cpp".
bool names_clang_driver(std::string_view path);

// A driver of clang or GCC ("cc", "x86_64-linux-gnu-g++-12"), or hipcc.
bool names_driver(std::string_view path);

// "hipcc", "/opt/rocm/bin/hipcc": the script, or program, around clang that treats C++ as HIP.
bool names_hipcc(std::string_view path);

// ccache, sccache, distcc, icecc: these run a compiler depending on their own contents, or run it
// elsewhere.
bool names_other_cache(std::string_view path);

}  // namespace hipcache::compiler

#endif
