// Which programs count as a driver that compiles: decided by name, as clang decides its own mode.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_COMPILER_NAME_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_COMPILER_NAME_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::compiler {

// True for "clang", "clang++-19", "/opt/rocm/bin/amdclang++", "x86_64-linux-gnu-clang". False for
// "clang-cl", "clang-cpp", "hipcc".
bool is_clang_driver(std::string_view path);

// The script, or program, around clang that treats C++ as HIP.
bool is_hipcc(std::string_view path);

// A clang driver, any driver of GCC ("cc", "x86_64-linux-gnu-g++-12"), or hipcc, which runs one.
bool is_compiler(std::string_view path);

// The name without directory, target and version: "ld.lld" for
// "/usr/bin/x86_64-linux-gnu-ld.lld-19".
std::string_view program_name(std::string_view path);

// A linker that the user runs without a driver: "ld", "ld.bfd", "ld.gold", "ld.lld".
bool is_linker(std::string_view path);

// Which compiler's options a program takes, for programs that users name as compilers:
// "mpicxx=gcc".
enum class Family { unknown, gcc, clang };

// Nothing if the list does not name the program. Entries: "NAME", "NAME=gcc", "NAME=clang".
std::optional<Family> further_compiler(std::string_view path, const std::vector<std::string>& named);

// One line, beginning with the program, on what a user can do if a program does not count as a
// compiler.
std::string advice_on(const std::string& program);

}  // namespace hipcache::compiler

#endif
