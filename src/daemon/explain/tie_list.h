// A list of ties (hipcache/protocol/tie.h) that stays short: of each kind the first few, then a count.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_TIE_LIST_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_TIE_LIST_H

#include <string>
#include <vector>

#include "hipcache/protocol/tie.h"

namespace hipcache::daemon {

class TieList {
 public:
  // Leaves out what is in the list already.
  void add(protocol::TiedBy by, std::string name, std::string other = "");

  // Leaves out ties to the directory.
  void keep_ties_to_machine();

  // Sorted by kind, readable for users.
  std::vector<protocol::Tie> take();

 private:
  std::vector<protocol::Tie> ties_;
  std::vector<protocol::Tie> counted_;  // those that only count, once each
};

}  // namespace hipcache::daemon

#endif
