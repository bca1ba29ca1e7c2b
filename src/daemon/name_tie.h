// Whether what an opaque command wrote or printed shows the names that it was to give its outputs.
//
// The problem: a compile's object seldom depends on its own name, and nothing but a look at it tells. The choice: look
// for the names as they were typed, and for whatever else begins with one of them less its ending ("a.dwo", "a.gcda" of
// "a.o"), since compilers derive names so. What source files and clones of functions are called ("a.c", "main.cold") is
// known and does not count. To find too much costs a miss, to find too little a wrong object: so all else counts.
#ifndef HIPCACHE_DAEMON_NAME_TIE_H
#define HIPCACHE_DAEMON_NAME_TIE_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/command/output_names.h"

namespace hipcache::daemon {

class NameTie {
 public:
  explicit NameTie(const command::OutputNames& names);
  bool shows_in(std::string_view bytes) const;

 private:
  std::vector<std::string> beginnings_;  // the names' last parts less their endings, with the point
};

}  // namespace hipcache::daemon

#endif
