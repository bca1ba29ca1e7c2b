// How a run may have used a variable that it asked for.
//
// The problem: some programs ask for a variable each time and use its value only for some commands. gcc's driver asks
// for MAKEFLAGS, whose text differs for each -j. But only the link of LTO code looks for a jobserver in it. clang 16
// and later read SOURCE_DATE_EPOCH at each start, and use it for __DATE__, __TIME__ and __TIMESTAMP__ alone. All
// compilers ask for variables of the terminal (TERM, GCC_COLORS). These decide how a message looks, never whether there
// is one. gcc asks for variables of the locale (LC_ALL), which decide the language of messages.
//
// The choice: a short list of such variables. For each, the list names the programs whose source was read, and what
// else the trace shows if such a program uses the value. If any other program ran, the value counts.
//
// Rejected: leaving variables out by name alone, because another program may use the same one for something else.
// Looking for __DATE__ in the sources, because macros can build that name from parts (##).
#ifndef HIPCACHE_SRC_INPUTS_RULES_VARIABLE_USE_H
#define HIPCACHE_SRC_INPUTS_RULES_VARIABLE_USE_H

#include <set>
#include <string>
#include <string_view>

#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// gcc's specs files can put variables of the environment into a command ("%:getenv(TMP /include)").
//
// The problem: some variables are no inputs. They say where temporary files go, how messages look or in which language
// they are, or they steer a search. Steps even get other values of some (TMPDIR, LD_PRELOAD). But a specs file may hand
// their values to the compiler. The choice: a run that reads a specs file which names such a variable is not recorded.
// Rejected: making these variables inputs always. A build with another TMPDIR would then miss.

// The first variable in a specs file that is no input; empty if there is none.
std::string asked_in_vain(std::string_view specs);

// The names of the files that the text includes ("%include <other.specs>"), without directories.
std::set<std::string> included_by(std::string_view specs);

enum class VariableUse {
  none,   // no value changes the result
  look,   // every value may give a plan other options for the look of messages, and nothing else: Question::look
  form,   // the run checked only that the value is well formed: Question::source_date
  value,  // every value may give another result
};

// What the run shows of the terminal: Shows::colour and Run::plans_look.
struct Shown {
  bool colour = false;
  bool plans = false;
};

// REQUIRES: the trace is complete.
VariableUse use_of(std::string_view variable, const trace::Trace& trace, Shown shown);

// The same of what programs asked about the standard streams.
VariableUse use_of_terminal(const trace::Trace& trace, Shown shown);

// Whether use_of() can be `none` for the variable. A specs file of gcc's can use the value of any variable.
bool may_go_unused(std::string_view variable);

}  // namespace hipcache::inputs

#endif
