// The programs that hipcache knows: which one a command runs, and the commands of archivers and linkers.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_PROGRAMS_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_PROGRAMS_H

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::compiler {

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

// Commands of the programs beside the compiler: archivers, and linkers by themselves or behind a driver.

// Parses commands that make archives: ar and ranlib, of GNU and of LLVM.
//
// Problem: an archiver reads the archive that it writes, so that file is both input and output. It
// may also put times and owners into it.
// Choice: only commands that add members and write the index (q, r, s) are cached. The archive's
// name is read from the command, so that its old contents become part of the key. Whether the
// result holds times is checked in the result, because distributors choose the default.
// Rejected: taking the name from the trace, which exists only after the run.

// "ar", "gcc-ar-12", "llvm-ar", "x86_64-linux-gnu-ranlib".
bool is_archiver(std::string_view path);

// The archive, as typed. REQUIRES: is_archiver(arguments[0]); response files are expanded.
std::variant<std::string, Uncacheable> find_archive(const std::vector<std::string>& arguments);

// Linker options that prevent caching a link as an opaque step.
//
// Problem: a trace shows every file that a linker reads and writes, but not that its result depends
// on randomness or an earlier run.
// Choice: a list of the options that GNU ld, gold, lld and mold document as such. Every other
// option is part of the key, and its files are in the trace.
// Rejected: a list of safe options, as for host links of relocatable device code. Each linker has
// hundreds of options, and opaque links need no file names from them.

// `arguments`: of a compiler's driver, with the program first. Checks what -Wl, and -Xlinker pass
// to the linker.
std::optional<Uncacheable> refused_for_linker(const std::vector<std::string>& arguments);

// `arguments`: of a linker that the user runs directly; response files expanded.
std::optional<Uncacheable> refused_by_linker(const std::vector<std::string>& arguments);

}  // namespace hipcache::compiler

#endif
