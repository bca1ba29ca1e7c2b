// Runs programs in a test; records what they printed and how they ended.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_PROGRAM_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_PROGRAM_H

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace hipcache::integration {

using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;  // an empty value removes the variable

struct Ended {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs the program in `directory` (PWD says so too) with this process's environment, without the settings of any
// cache, changed by `variables`. The program starts in a later tick of the files' clock than everything that was
// written before (support/file_clock.h).
Ended run(const Arguments& argv, const std::string& directory, const Variables& variables = {});

// The same without waiting. REQUIRES: wait() is called before the object is destroyed.
class Started {
 public:
  Started(const Arguments& argv, const std::string& directory, const Variables& variables);
  Ended wait();
  bool has_ended() const;  // if true, wait() returns at once
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  std::string out_;
  std::string err_;
};

// Splits "a b" into a list, because tests build many argument lists.
Arguments words(const std::string& text);
Arguments operator+(Arguments left, const Arguments& right);

}  // namespace hipcache::integration

#endif
