// gcc's specs files can put variables of the environment into a command ("%:getenv(TMP /include)").
//
// The problem: some variables are no inputs. They say where temporary files go, how messages look or in which language
// they are, or they steer a search. Steps even get other values of some (TMPDIR, LD_PRELOAD). But a specs file may hand
// their values to the compiler. The choice: a run that reads a specs file which names such a variable is not recorded.
// Rejected: making these variables inputs always. A build with another TMPDIR would then miss.
#ifndef HIPCACHE_SRC_INPUTS_RULES_GCC_SPECS_H
#define HIPCACHE_SRC_INPUTS_RULES_GCC_SPECS_H

#include <set>
#include <string>
#include <string_view>

namespace hipcache::inputs {

// The first variable in a specs file that is no input; empty if there is none.
std::string asked_in_vain(std::string_view specs);

// The names of the files that the text includes ("%include <other.specs>"), without directories.
std::set<std::string> included_by(std::string_view specs);

}  // namespace hipcache::inputs

#endif
