// Random changes of a project's files, as people, editors and tools make them.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_TREE_EDITS_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_TREE_EDITS_H

#include <string>

#include "fuzz/oracle/model/random.h"
#include "fuzz/oracle/model/tree.h"

namespace hipcache::fuzz {

Writing random_writing(Random& random);

// Each returns what was done, in a few words. `source`: the one that is compiled; most edits are of what it may read.
std::string edit_text(Random& random, const Tree& tree, const std::string& source);    // or response or config file
std::string move_things(Random& random, const Tree& tree, const std::string& source);  // appear, vanish, move; links
std::string edit_library(Random& random, const Tree& tree);                            // a device library
std::string change_nothing(Random& random, const Tree& tree);  // touched, rewritten as it was, unrelated files
std::string break_source(Random& random, const Tree& tree, const std::string& source);

}  // namespace hipcache::fuzz

#endif
