// What walks came to, in figures.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_TALLY_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_TALLY_H

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/oracle/judge.h"

namespace hipcache::fuzz {

// One thread at a time.
class Tally {
 public:
  void take(const integration::Comparison& comparison, const std::vector<Finding>& findings);
  void end_of_walk() { ++figures_["walks"]; }

  std::int64_t operator[](const std::string& name) const;
  std::vector<std::string> reasons() const;  // rows of steps that were not stored
  std::int64_t findings() const { return (*this)["mismatches"] + (*this)["needless misses"]; }

 private:
  std::map<std::string, std::int64_t> figures_;
};

// A column for each tally, under its name.
std::string table(const std::vector<std::pair<std::string, const Tally*>>& columns);

}  // namespace hipcache::fuzz

#endif
