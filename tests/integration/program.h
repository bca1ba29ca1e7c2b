// Running programs to their end in a test: what they printed and how they ended.
#ifndef HIPCACHE_TESTS_INTEGRATION_PROGRAM_H
#define HIPCACHE_TESTS_INTEGRATION_PROGRAM_H

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace hipcache::integration {

using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;  // an empty value takes the variable away

struct Ended {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs the program in `directory` (PWD says so too) with this process's environment, changed by `variables`. The
// program starts in a later tick of the files' clock than all that was written before (support/file_clock.h).
Ended run(const Arguments& argv, const std::string& directory, const Variables& variables = {});

// The same without waiting. The object must be waited for before it goes.
class Started {
 public:
  Started(const Arguments& argv, const std::string& directory, const Variables& variables);
  Ended wait();
  bool has_ended() const;  // then wait() returns at once
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  std::string out_;
  std::string err_;
};

// "a b" + {"c"}: argument lists are put together a lot in tests.
Arguments words(const std::string& text);
Arguments operator+(Arguments left, const Arguments& right);

}  // namespace hipcache::integration

#endif
