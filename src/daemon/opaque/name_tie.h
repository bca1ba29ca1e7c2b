// Whether the files or messages of an opaque compile contain the output names that the command gave.
//
// The problem: an object seldom depends on its own name, and only its bytes can tell. The choice: search for the names
// as typed, and for words that begin with such a name without its extension ("a.dwo", "a.gcda" for "a.o"). Compilers
// derive names in that way. Names of sources and of function clones ("a.c", "main.cold") are known and do not count. A
// false match costs a miss and a missed one gives a wrong object, so all other words count.
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_NAME_TIE_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_NAME_TIE_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/output_names.h"

namespace hipcache::daemon {

class NameTie {
 public:
  explicit NameTie(const compiler::OutputNames& names);
  bool shows_in(std::string_view bytes) const;

 private:
  std::vector<std::string> beginnings_;  // base names without extension, with the dot
};

}  // namespace hipcache::daemon

#endif
