// What ties a step's result to its directories or to the CUID: found by searching its outputs and messages.
#ifndef HIPCACHE_SRC_DAEMON_RUN_RELOCATABILITY_H
#define HIPCACHE_SRC_DAEMON_RUN_RELOCATABILITY_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/hip/prefix_maps.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set_builder.h"

namespace hipcache::daemon {

// Whether the files or messages of an opaque compile contain the output names that the command gave.
//
// The problem: an object seldom depends on its own name, and only its bytes can tell. The choice: search for the names
// as typed, and for words that begin with such a name without its extension ("a.dwo", "a.gcda" for "a.o"). Compilers
// derive names in that way. Names of sources and of function clones ("a.c", "main.cold") are known and do not count. A
// false match costs a miss and a missed one gives a wrong object, so all other words count.

class NameTie {
 public:
  explicit NameTie(const compiler::OutputNames& names);
  bool shows_in(std::string_view bytes) const;

 private:
  std::vector<std::string> beginnings_;  // base names without extension, with the dot
};

struct Relocatability {
  Relocatability() = default;
  explicit Relocatability(hip::PrefixMaps of_command);

  hip::PrefixMaps maps;
  inputs::RootReferences roots;
  bool cuid = false;
  bool command = false;  // options of the compiler's command line, as with -fembed-bitcode

  // Adds the ties that these bytes, written or printed by the step, show.
  void look_into(std::string_view bytes, const inputs::RunContext& from);
  // The same for a file in that role. In a portable depfile each name stands by itself.
  void look_into(const std::string& role, std::string_view bytes, const inputs::RunContext& from);
  // The same for messages.
  void look_into_printed(std::string_view bytes, const inputs::RunContext& from);

  // What the run shows, for its path set.
  inputs::Shows shown(bool has_printed) const {
    return {.roots = roots, .cuid = cuid, .command = command, .colour = command || has_printed};
  }
};

// The same for an opaque compile and its working directory.
class DirectoryReferences {
 public:
  // A prefix map of a parent directory leaves a rest of the name. The search does not look for such rests, so it then
  // counts as shown.
  DirectoryReferences(const inputs::RunContext& from, const std::vector<std::string>& arguments);
  void look_into(std::string_view bytes);
  // Whether the bytes mention the directory, or have compressed parts (debug information, profiles) that may mention
  // it.
  bool shows() const { return shows_ || hides_; }
  bool hides() const { return hides_; }
  // Whether texts may have the directory's name in a form that look_into() does not find.
  bool may_be_escaped() const;

 private:
  const std::string physical_;
  const std::string logical_;
  bool shows_ = false;
  bool hides_ = false;  // has such parts
};

// Whether texts may have the name in another form than its own. Quotes, backslashes and bytes beyond ASCII are escaped
// in assembly, IR, line markers and JSON, blanks and more in URIs, and each writer has a form of its own ("\303\274",
// "\C3\BC", "\xFC", "%C3%BC"). Some leave out what is no UTF-8. So for such a name a search of a text proves nothing.
// Rejected: a search for every form, because one that is missing would give another directory's output.
bool may_be_escaped(std::string_view name);
// The same for any root, by either of its names.
bool may_be_escaped(const Roots& roots);

// Whether messages have anything of an escaped name. Most messages name files as they are.
bool may_show_escaped(std::string_view printed);

// Whether an output has parts (compressed debug information, profiles, LTO) in which a search does not find names.
bool may_hold_names_unseen(std::string_view bytes);

// Whether the bytes of an object, of assembly or of IR have debug information, or may have.
bool holds_debug_information(std::string_view bytes);

// What else decides whether an option hides names.
struct Hiding {
  std::string_view source;             // as in the command; empty: there is no single one
  bool has_debug_information = false;  // some output
};

// Whether such a command may put names into its outputs in a form that a search does not find.
bool may_hide_names(const std::vector<std::string>& arguments, const Hiding& of);

}  // namespace hipcache::daemon

#endif
