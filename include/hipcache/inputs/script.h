// Which programs besides compilers and their tools may run in a traced step.
//
// The problem: a trace has the files that a program opened and the variables that it asked for. It
// does not have a file's size or owner, the processor, the time, a random number or a limit, if the
// program asked the kernel or the processor for them. Compilers do not make their output of these
// things. A shell, an interpreter or another program may. The choice: only programs of a short list
// may run, and of scripts only those whose text asks for nothing that a trace lacks. A run with any
// other program proves nothing; hipcache runs such a wrapper each time and caches the compilers
// that it starts (src/trace/preload/front.c). Rejected: a record of everything that a program can
// ask. The list would never be complete.
//
// Thread-safe.
#ifndef HIPCACHE_INPUTS_SCRIPT_H
#define HIPCACHE_INPUTS_SCRIPT_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::inputs {

// Whether the file begins with "#!". False if it cannot be read.
bool is_script(const std::string& path);

// Whether a text in Perl asks only for what a trace has: AMD's hipcc and hipconfig do. Looks for the
// names of the functions, variables and modules that ask for more, in all lines that are no comment.
bool is_traceable_perl(std::string_view text);

// The variables that a text in Perl reads by literal names: $ENV{NAME}, with or without quotes. Nothing if it uses ENV
// in any other way. A module of Perl's own is judged by its name: those that AMD's scripts load read no variable but
// TMPDIR, of which each step has its own.
std::optional<std::vector<std::string>> variables_of_perl(std::string_view text);
bool is_judged_module(std::string_view path);

}  // namespace hipcache::inputs

#endif
