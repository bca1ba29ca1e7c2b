// What ties a step's result to the directories it was made in, or to the id of its translation unit: found by looking
// into what the step wrote and printed.
#ifndef HIPCACHE_DAEMON_TIES_H
#define HIPCACHE_DAEMON_TIES_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/inputs/observe.h"
#include "hipcache/inputs/world.h"
#include "hipcache/plan/prefix_maps.h"

namespace hipcache::daemon {

struct Ties {
  Ties() = default;
  explicit Ties(plan::PrefixMaps of_command);

  plan::PrefixMaps maps;
  inputs::RootTies roots;
  bool cuid = false;
  bool command = false;  // options of the compiler's own command line: -fembed-bitcode

  // Adds what these bytes, written or printed by the step, show.
  void look_into(std::string_view bytes, const inputs::Surroundings& from);
  // The same of a file in that role. In a portable depfile each name stands by itself.
  void look_into(const std::string& role, std::string_view bytes, const inputs::Surroundings& from);
};

// The same of an undivided command and the directory that it ran in.
class DirectoryTie {
 public:
  // A map of names above the directory leaves a part of it, which is not looked for.
  DirectoryTie(const inputs::Surroundings& from, const std::vector<std::string>& arguments);
  void look_into(std::string_view bytes);
  // Whether they mention the directory, or have parts (debug information, profiles) that may, compressed.
  bool shows() const { return shows_ || hides_; }
  bool hides() const { return hides_; }

 private:
  const std::string physical_;
  const std::string logical_;
  bool shows_ = false;
  bool hides_ = false;  // such parts
};

// Whether an output has parts (compressed debug information, profiles, LTO) in which looking does not find names.
bool may_hold_names_unseen(std::string_view bytes);

// Whether names may go into the outputs of such a command in a form in which looking does not find them.
bool may_hide_names(const std::vector<std::string>& arguments);

// The roots that any of the arguments names.
RootMask named_roots(const std::vector<std::string>& arguments, const Roots& roots);

}  // namespace hipcache::daemon

#endif
