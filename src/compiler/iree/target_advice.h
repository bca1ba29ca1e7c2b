// Says which option a failed iree-compile lacks to have a target.
//
// Problem: the compiler names some of these options in its message and some not. Without back ends
// for the device "local" it only says that the device provides no targets.
// Choice: read from the arguments what a target needs and does not have. Rejected: reading the
// compiler's messages, whose words change.
#ifndef HIPCACHE_SRC_COMPILER_IREE_TARGET_ADVICE_H
#define HIPCACHE_SRC_COMPILER_IREE_TARGET_ADVICE_H

#include <string>
#include <vector>

namespace hipcache::compiler {

// `arguments`: those of iree-compile. One line, or "" if nothing is missing.
std::string target_advice(const std::vector<std::string>& arguments);

}  // namespace hipcache::compiler

#endif
