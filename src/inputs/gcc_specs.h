// gcc's specs files, as far as they put variables of the environment into a command ("%:getenv(TMP /include)").
//
// The problem: some variables are no inputs, for they only say where temporary files go, how messages look or in which
// language, or steer a search, and steps get others than the user has (TMPDIR, LD_PRELOAD). A specs file may hand their
// values to the compiler all the same. The choice: who reads a specs file that names such a variable is not recorded.
// Rejected: to ask for these variables always; another TMPDIR in each build would be a miss.
#ifndef HIPCACHE_SRC_INPUTS_GCC_SPECS_H
#define HIPCACHE_SRC_INPUTS_GCC_SPECS_H

#include <set>
#include <string>
#include <string_view>

namespace hipcache::inputs {

// The first variable that the text of a specs file asks for and that is no input; empty if there is none.
std::string asked_in_vain(std::string_view specs);

// The file names, without directories, that the text includes ("%include <other.specs>").
std::set<std::string> included_by(std::string_view specs);

}  // namespace hipcache::inputs

#endif
