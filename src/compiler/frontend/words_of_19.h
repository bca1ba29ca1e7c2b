// Arguments of cc1 in the words of clang 19, whose table of options reads them.
#ifndef HIPCACHE_SRC_COMPILER_FRONTEND_WORDS_OF_19_H
#define HIPCACHE_SRC_COMPILER_FRONTEND_WORDS_OF_19_H

#include <string>
#include <vector>

namespace hipcache::compiler {

// Rewrites arguments of other clang versions that clang 19's table lacks into arguments that it
// has. Positions stay the same: the table skips an empty argument.
std::vector<std::string> in_words_of_19(const std::vector<std::string>& arguments);

}  // namespace hipcache::compiler

#endif
