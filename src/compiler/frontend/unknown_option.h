// Options that this clang's table lacks: those of later clangs. The user's own driver understands
// them and prints what comes of them, so hipcache needs to know little about each.
//
// Problem: each release of clang adds options. A table of them is out of date as soon as it is
// written, and a compile with one unknown option lost all of its steps.
// Choice: such an option is an opaque word of the key, unless its name says that it prints, writes,
// measures, loads or remembers something. What a name does not say, the run does: a step that
// writes a file of its own, draws a number or starts a program is not stored (docs/internals/proof.md).
// Whether the option takes the next word is open, so both readings of the command must be
// acceptable, and the driver's plan must be that of the reading that is used.
// Rejected: to ask the driver about each option by a run of its own. The plan answers already.
#ifndef HIPCACHE_SRC_COMPILER_FRONTEND_UNKNOWN_OPTION_H
#define HIPCACHE_SRC_COMPILER_FRONTEND_UNKNOWN_OPTION_H

#include <llvm/Option/ArgList.h>

#include <string_view>
#include <vector>

namespace hipcache::compiler {

// Whether nothing in the option's name, or in the value after its "=", tells that it does more than
// steer the compile.
bool is_quiet_unknown_option(std::string_view option);

// Whether the value of an unknown option may be the path of a file, which may be written.
bool may_be_path(std::string_view value);

bool is_unknown(const llvm::opt::Arg& argument);

// What the words may be as well if unknown options take the word after them: the arguments of all
// such readings that are not in `arguments`, which were read from `words`.
llvm::opt::InputArgList other_readings(const llvm::opt::InputArgList& arguments, const std::vector<const char*>& words,
                                       llvm::opt::Visibility visibility);

}  // namespace hipcache::compiler

#endif
