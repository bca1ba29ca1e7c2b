// Which programs are taken for a driver that compiles: by name, as clang itself decides what mode to run in.
#ifndef HIPCACHE_SRC_COMMAND_COMPILER_NAME_H
#define HIPCACHE_SRC_COMMAND_COMPILER_NAME_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::command {

// "clang", "clang++-19", "/opt/rocm/bin/amdclang++", "x86_64-linux-gnu-clang": yes. "clang-cl", "clang-cpp", "hipcc":
// no.
bool is_clang_driver(std::string_view path);

// The script, or program, around clang that takes C++ for HIP.
bool is_hipcc(std::string_view path);

// The same or a driver of GCC's, of whatever kind ("cc", "x86_64-linux-gnu-g++-12"), or hipcc, which runs one.
bool is_compiler(std::string_view path);

// "ld.lld" of "/usr/bin/x86_64-linux-gnu-ld.lld-19": less directory, target and version.
std::string_view program_name(std::string_view path);

// A linker that the user runs without a driver: "ld", "ld.bfd", "ld.gold", "ld.lld".
bool is_linker(std::string_view path);

// Of which compiler a program that is none by its name takes the options, as users have named it: "mpicxx=gcc".
enum class Family { unknown, gcc, clang };

// Nothing if the list does not name the program. Entries: "NAME", "NAME=gcc", "NAME=clang".
std::optional<Family> further_compiler(std::string_view path, const std::vector<std::string>& named);

// What a user can do about a program that is not taken for a compiler, in a line that begins with the program.
std::string advice_on(const std::string& program);

}  // namespace hipcache::command

#endif
