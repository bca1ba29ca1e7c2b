// Which hits are owed: what was compiled and stored, in which state of the project, since the cache was last cleared.
//
// Owed as a whole: the same request in the same state. Owed arch by arch: the same request but for its archs, in the
// same state. Exceptions, both of the cache's design:
//   - A key has kMaxPathSets path sets, the ones used last; where that many other states came since, nothing is owed.
//     Request keys are one for each request. Keys of steps may be shared by requests, so all of them count there.
//   - Of what was not stored for a reason that is counted, nothing is owed; judge.h has an opinion on the reasons.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_LEDGER_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_LEDGER_H

#include <list>
#include <map>
#include <set>
#include <string>

#include "fuzz/oracle/model/compile.h"
#include "hipcache/base/digest.h"

namespace hipcache::fuzz {

class Ledger {
 public:
  // What the cache did for the compile in the state: served or stored it as a whole, or else looked at some of its
  // steps at most.
  void settled(const Compile& compile, const Digest& state);
  void tried(const Compile& compile, const Digest& state);
  void cleared();

  bool owes(const Compile& compile, const Digest& state) const;
  // Of the archs, those whose device step is owed.
  std::set<std::string> owed_archs(const Compile& compile, const Digest& state) const;

 private:
  using Recent = std::list<Digest>;  // the last one first

  std::map<Digest, Recent> states_of_;                // by request
  Recent steps_;                                      // of any request
  std::map<Digest, std::set<std::string>> archs_of_;  // by request but for its archs, and state
};

}  // namespace hipcache::fuzz

#endif
