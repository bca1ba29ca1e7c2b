// Which environment variables are no inputs, and what stands for all others if a program may have read any of them.
//
// The problem: the tracer sees getenv, but not a program that reads `environ` itself. The choice: compilers and their
// tools are known to ask by name, so their traces are believed. If another program ran (a shell, perl), the whole
// environment is an input.
#ifndef HIPCACHE_SRC_INPUTS_RULES_ENVIRONMENT_H
#define HIPCACHE_SRC_INPUTS_RULES_ENVIRONMENT_H

#include <string_view>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::inputs {

// Variables that only steer a search (the trace has what the search found), the tracer's own, and fakeroot's. See
// docs/internals/proof.md.
bool is_left_out(std::string_view variable);

// The tool that a program is by its name, without directory, target and version: "gcc" for "x86_64-linux-gnu-gcc-12". A
// tool is a compiler, an assembler, a linker or one of LLVM's tools. Empty for any other program.
std::string_view tool_of(std::string_view program);

// Whether the program reads variables by getenv alone, as the tools do.
bool asks_by_name(std::string_view program);

// Whether the program looks for devices. It asks their drivers, which no trace shows.
bool detects_hardware(std::string_view program);

// The digest of all variables but those that are left out and those of the terminal, the session and the build tool.
Digest digest_environment(const RunContext& from);

// The digest of the variables that steer what shells and Perl do, whatever they run: their options, files that they
// read first, functions that bash takes from the environment, directories of modules, and the language.
Digest digest_of_interpreters(const RunContext& from);

}  // namespace hipcache::inputs

#endif
