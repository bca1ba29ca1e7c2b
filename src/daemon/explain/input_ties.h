// The ties of a path set: the questions whose present answers another machine or directory does not give.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_INPUT_TIES_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_INPUT_TIES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/step/step.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

// A list of ties (hipcache/protocol/explanation.h) that stays short: of each kind the first few, then a count.

// Who fills a place of the file system, by its name: decides whether another machine can have the same there.
//
// A guess by the usual layout of Linux systems. A wrong guess is a line too many or too few in an explanation.

enum class PlaceOwner : std::uint8_t {
  packages,  // /usr, /opt, /etc and the like: equal wherever the same packages are installed
  machine,   // /proc, /etc/passwd and the like: each machine has its own
  user,      // everything else: checkouts, homes, build directories
};

// `absolute` may hold ".." and doubled slashes.
PlaceOwner owner_of(std::string_view absolute);

// Whether packages of compilers and libc alone put entries into that directory of packages. Its listing is equal
// wherever the same compilers are installed. Packages of any kind fill others, such as /usr/include and /opt.
bool is_of_compilers(std::string_view directory);

class TieList {
 public:
  // Leaves out what is in the list already.
  void add(protocol::TiedBy by, std::string name, std::string other = "");

  // Leaves out ties to the directory.
  void keep_ties_to_machine();

  // Sorted by kind, readable for users.
  std::vector<protocol::Tie> take_ties();

 private:
  std::vector<protocol::Tie> ties_;
  std::vector<protocol::Tie> counted_;  // those that only count, once each
};

// Files of equal content that a compiler may take for one file.
//
// gcc takes two files of equal content and one modification time for one (#pragma once); clang, two names of one inode.
// So the state holds which names are one in either way (docs/internals/proof.md, "Identities"). A checkout on another
// machine gives files other times, and makes two files of hard links.

// Pairs of absolute paths that are two places, not a link and its target. Each file is in a pair with the first one
// that is like it. REQUIRES: `answered` are the answers to `set`.
std::vector<std::pair<std::string, std::string>> files_taken_for_one(const inputs::PathSet& set,
                                                                     const inputs::Answered& answered,
                                                                     const inputs::RunContext& from,
                                                                     inputs::FileSystemState& file_system);

void add_input_ties(const inputs::PathSet& set, const StepSpec& spec, const RequestContext& context, TieList& ties);

}  // namespace hipcache::daemon

#endif
