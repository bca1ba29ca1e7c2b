// Runs programs at a pseudo-terminal.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_TERMINAL_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_TERMINAL_H

#include <string>

#include "hipcache/base/files.h"
#include "integration/support/program.h"

namespace hipcache::integration {

struct Shown {
  int exit_code = -1;
  std::string terminal, pipe;  // what the program printed there
  bool operator==(const Shown&) const = default;
};

class Terminal {
 public:
  explicit Terminal(unsigned short columns = 80, unsigned short rows = 24);

  // `streams`: the standard streams that are the terminal, such as "012". Of the others, standard input is /dev/null
  // and outputs are one pipe. A variable without a value is unset. REQUIRES: the program prints less than 4 KiB.
  Shown run(const Arguments& argv, const std::string& directory, const Variables& variables,
            const std::string& streams = "12") const;

 private:
  UniqueFd ours_, theirs_;
};

}  // namespace hipcache::integration

#endif
