// What the launcher (src/launch) leaves to the full client: a command, and how far it has come with it.
//
// It says so in a word of its own before the command: "--launch=5,0.1.0/4" is a connection to the daemon on which the
// launcher, of that build, sent the request and read nothing; "--launch=,..." is none; "--launch=compiler,..." means
// that an answer was there but could not be put in place. A launcher of another build is not trusted to have said what
// we would have: then the compile begins anew.
#ifndef HIPCACHE_CLIENT_HANDED_OVER_H
#define HIPCACHE_CLIENT_HANDED_OVER_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::client {

struct HandedOver {
  UniqueFd connection;  // invalid: none
  bool only_compiler = false;
};

// Takes the program's name and the word from `argv`, if they are there. The caller then owns the descriptor.
std::optional<HandedOver> take_handed_over(std::vector<std::string>& argv);

}  // namespace hipcache::client

#endif
