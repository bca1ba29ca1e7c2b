// What each option of clang's driver means for the cache: accepted, or a reason to pass through.
//
// Built once per Parser from clang's own table, by option group, with the exceptions listed in the
// source file. An option outside of the groups known to be harmless is unsupported until someone
// has examined it.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_DRIVER_RULES_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_DRIVER_RULES_H

#include <vector>

namespace hipcache::compiler {

class DriverRules {
 public:
  DriverRules();

  // A name of reason.h, or null if the option by itself is acceptable. `option` is an id of clang's
  // table, aliases resolved.
  const char* refusal(unsigned option) const {
    return option < refusals_.size() ? refusals_[option] : "unknown-option";
  }

 private:
  std::vector<const char*> refusals_;
};

}  // namespace hipcache::compiler

#endif
