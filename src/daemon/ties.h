// What ties a step's result to the checkout it was made in, or to the id of its translation unit: found by looking into
// what the step wrote and printed.
#ifndef HIPCACHE_DAEMON_TIES_H
#define HIPCACHE_DAEMON_TIES_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/inputs/world.h"
#include "hipcache/plan/plan.h"

namespace hipcache::daemon {

struct Ties {
  bool base = false;
  bool cuid = false;
  bool command = false;  // options of the compiler's own command line: -fembed-bitcode

  // Adds what these bytes, written or printed by the step, show.
  void look_into(std::string_view bytes, const inputs::Surroundings& from);
};

// The same of an undivided command and the directory that it ran in.
class DirectoryTie {
 public:
  explicit DirectoryTie(const inputs::Surroundings& from);
  void look_into(std::string_view bytes);
  // Whether they mention the directory, or have parts (debug information, profiles) that may, compressed.
  bool shows() const { return shows_; }

 private:
  const std::string physical_;
  const std::string logical_;
  bool shows_ = false;
};

// Whether an output has parts (compressed debug information, profiles, LTO) in which looking does not find names.
bool may_hold_names_unseen(std::string_view bytes);

// Whether names may go into the outputs of such a command in a form in which looking does not find them.
bool may_hide_names(const std::vector<std::string>& arguments);

// Whether the compiler was told to write something else wherever the base directory would show in the name of a source
// that asks for its own.
bool maps_own_names(const plan::Step& step, const BaseDirectory& base);

}  // namespace hipcache::daemon

#endif
