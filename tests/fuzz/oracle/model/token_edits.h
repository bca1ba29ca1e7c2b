// Edits of what a compiler mostly does not see: comments, blanks, lines, the names of macros; runs of clang-format.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_TOKEN_EDITS_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_TOKEN_EDITS_H

#include <string>

#include "fuzz/oracle/model/random.h"
#include "fuzz/oracle/model/tree.h"

namespace hipcache::fuzz {

// One such edit of a file that the source may read. Returns what was done.
std::string edit_tokens(Random& random, const Tree& tree, const std::string& source);

}  // namespace hipcache::fuzz

#endif
