// What keeps a step's result from serving other machines, or other directories (hipcache/protocol/explanation.h).
//
// Two things decide whether another machine finds a result: the key, which says what is run, and the path set, which
// asks about the inputs. Here each part of a key (request/keys.cpp) and each question (inputs/path_set.h) is judged by
// its present text or answer: whether another machine with the same packages, compilers and sources has the same one.
// docs/remote.md has the table.
//
// An answer that a file is absent travels: it is absent elsewhere, too. What lies in a root, or has a relative name,
// travels. So a compile that travels has no tie.
//
// The keys of the request and of the driver's probe name the working directory, and the plan is full of absolute names.
// So the probe has no ties to the directory: elsewhere the driver is asked again, which costs no compile.
#ifndef HIPCACHE_SRC_DAEMON_TELL_TIES_H
#define HIPCACHE_SRC_DAEMON_TELL_TIES_H

#include <string>
#include <utility>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

// A list of ties that stays short: of each kind the first few, then a count.
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

// `set`: of the step's result, or of an earlier one with the same key; null: no result is known, and then there are no
// ties. `outputs`: of an opaque compile; may be empty. Asks the file system for the present answers.
std::vector<protocol::Tie> ties_of(const StepSpec& spec, const inputs::PathSet* set,
                                   const std::vector<cache::Output>& outputs, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
