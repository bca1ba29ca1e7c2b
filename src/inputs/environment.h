// Variables: which of them no compile depends on, and what stands for all the others where a program may have read any.
//
// The problem: getenv is seen, `environ` read directly is not. The choice: programs that are known to ask by name
// (compilers and their tools) are believed; where another one ran (a shell, perl), the whole environment is an input.
#ifndef HIPCACHE_SRC_INPUTS_ENVIRONMENT_H
#define HIPCACHE_SRC_INPUTS_ENVIRONMENT_H

#include <string_view>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/world.h"

namespace hipcache::inputs {

// Those that only steer a search (what they led to is observed itself), the tracer's and fakeroot's: docs/proof.md.
bool is_left_out(std::string_view variable);

// The tool that the program is by its name, without directory, target and version ("gcc" of "x86_64-linux-gnu-gcc-12"):
// a compiler, an assembler, a linker, or a tool of LLVM's. Empty for every other program.
std::string_view tool_of(std::string_view program);

// Whether the program asks for variables by getenv alone: the tools do.
bool asks_by_name(std::string_view program);

// Whether the program looks for devices, which it asks by their drivers.
bool detects_hardware(std::string_view program);

// Of all variables but those above and those of the terminal, the session and the build tool.
Digest digest_environment(const Surroundings& from);

}  // namespace hipcache::inputs

#endif
