// The verdict on one step of a walk: whether hipcache equals the compiler, and whether it ran what it need not have
// run.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_JUDGE_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_JUDGE_H

#include <string>
#include <vector>

#include "fuzz/oracle/ledger.h"
#include "fuzz/oracle/model/compile.h"

namespace hipcache::fuzz {

struct Finding {
  enum class Kind { mismatch, needless_miss };
  Kind kind = Kind::mismatch;
  std::string text;
};

// What was asked in one step, all at once.
struct Occasion {
  std::vector<Compile> compiles;
  Digest state;
  bool recache = false;     // everything is to run again
  bool reads_only = false;  // nothing is to be stored
  bool clocked = false;     // the project asks for times, and no variable gives them
};

std::vector<Finding> judge(const Occasion& occasion, const integration::Comparison& comparison, const Ledger& ledger);

// Whether all that was asked was served or stored, so that it is owed from here on. Where nothing is to be stored, what
// ran (the probe of a request whose steps are all there) runs again.
bool is_settled(const Occasion& occasion, const integration::Comparison& comparison);

}  // namespace hipcache::fuzz

#endif
