// Variables that make clang's driver itself report on its run, in a way that is right once: CC_PRINT_OPTIONS names
// temporary files, the others have times and memory (clang/tools/driver/driver.cpp).
#ifndef HIPCACHE_INPUTS_ONE_RUN_REPORTS_H
#define HIPCACHE_INPUTS_ONE_RUN_REPORTS_H

#include <string_view>

namespace hipcache::inputs {

inline bool reports_on_one_run(std::string_view variable) {
  return variable == "CC_PRINT_OPTIONS" || variable == "CC_PRINT_PROC_STAT" || variable == "CC_PRINT_INTERNAL_STAT";
}

}  // namespace hipcache::inputs

#endif
