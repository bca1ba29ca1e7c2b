// Random changes of a command line, its environment and where it runs.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_COMPILE_EDITS_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_COMPILE_EDITS_H

#include <string>

#include "fuzz/oracle/model/compile.h"
#include "fuzz/oracle/model/random.h"

namespace hipcache::fuzz {

Option system_libraries();

// Each returns what was done, in a few words.
std::string edit_compile(Random& random, Compile& compile);
std::string edit_archs(Random& random, Compile& compile);
std::string edit_output(Random& random, Compile& compile);

// Sets or unsets a variable that no compiler asks for.
std::string edit_unrelated_variable(Random& random, Compile& compile);

}  // namespace hipcache::fuzz

#endif
