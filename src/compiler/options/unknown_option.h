// Options that nobody has judged: those that the table has from other clangs (kUnjudged), and those that it lacks
// (unknown ones). The user's own driver understands them and prints what comes of them, so hipcache needs to know
// little about each.
//
// Problem: each release of clang adds options. A table of them is out of date as soon as it is
// written, and a compile with one unknown option lost all of its steps.
// Choice: such an option is an opaque word of the key, unless its name says that it prints, writes,
// measures, loads or remembers something. What a name does not say, the run does: a step that
// writes a file of its own, draws a number or starts a program is not stored (docs/internals/proof.md).
// The table says whether an option takes the next word. For an unknown one that is open, so both readings of the
// command must be acceptable, and the driver's plan must be that of the reading that is used. Rejected: to ask the
// driver about each option by a run of its own. The plan answers already.
// LLVM's backend options are judged in the same way (is_quiet_backend_option in cc1.h).
#ifndef HIPCACHE_SRC_COMPILER_OPTIONS_UNKNOWN_OPTION_H
#define HIPCACHE_SRC_COMPILER_OPTIONS_UNKNOWN_OPTION_H

#include <llvm/Option/ArgList.h>

#include <string_view>
#include <vector>

#include "hipcache/compiler/cc1.h"

namespace hipcache::compiler {

// What a word in an option's name says of the option. A false match costs some caching, and no more.
using NameFacts = unsigned;

namespace name_words {
enum : NameFacts {
  does_more = 1,  // prints, measures, writes, loads, remembers, or depends on chance: more than to steer a compile
  backend_does_more = 2,  // the same, of LLVM's backend options
};
}  // namespace name_words

// Whether a word in the name has one of the facts: "time" in "ftime-report". `name`: without dashes.
bool name_has(std::string_view name, NameFacts facts);

// "-fno-x", "-mno-x", "-gno-x", "--no-x" turn something off. `name`: without dashes.
bool turns_off(std::string_view name);

// Whether the table lacks the option.
bool is_unknown(const llvm::opt::Arg& argument);

// Whether no rule says what the option does; so of every unknown one.
bool is_unjudged(const llvm::opt::Option& option);

// Of an option that is not judged: whether nothing in its name and values tells that it does more than steer the
// compile.
bool is_quiet(const llvm::opt::Arg& argument, const llvm::opt::ArgList& arguments);

// Whether the value of an unknown option may be the path of a file, which may be written.
bool may_be_path(std::string_view value);

// The role of an option that is not judged. A name that may be about profiles or debug information
// is taken to be.
Cc1Role role_of_unjudged(std::string_view option);

// What the words may be as well if unknown options take the word after them: the arguments of all
// such readings that are not in `arguments`, which were read from `words`.
llvm::opt::InputArgList other_readings(const llvm::opt::InputArgList& arguments, const std::vector<const char*>& words,
                                       unsigned reader);

}  // namespace hipcache::compiler

#endif
