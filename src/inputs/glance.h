// One look at the paths of a plan, each at most once: what is there, as the answers of one state are given from.
//
// An absence costs nothing where its directory is as it was when the absence was learned; so the cost is one stat per
// path that is there and one per directory of paths that are not. Whether an entry is a link, and where it leads, costs
// nothing either where its directory is as it was. Used by one thread.
#ifndef HIPCACHE_INPUTS_GLANCE_H
#define HIPCACHE_INPUTS_GLANCE_H

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/inputs/world.h"
#include "inputs/names.h"
#include "inputs/stamp.h"

namespace hipcache::inputs {

struct Sight {
  enum class Kind : std::uint8_t { unseen, absent, there, error };
  Kind kind = Kind::unseen;
  int error = 0;    // errno, if an error
  mode_t mode = 0;  // if there; links are followed
  Stamp stamp;      // if there
  bool is_directory() const { return kind == Kind::there && S_ISDIR(mode); }
  bool is_file() const { return kind == Kind::there && S_ISREG(mode); }
};

// stat(path) as a sight.
Sight look_at(const char* path, Effort& effort);

// What readlink and realpath say of a path: another path, or an errno (EINVAL: no link).
struct Led {
  int error = 0;
  std::string to;
};

class Looks;

class Glance {
 public:
  // `now_ns` must have been read before the first look; `looks`, if it is given, has what others saw already. REQUIRES:
  // the arguments outlive it.
  Glance(const Plan& plan, std::uint64_t now_ns, Effort& effort, Looks* looks)
      : plan_(plan), now_ns_(now_ns), effort_(effort), looks_(looks), sights_(plan.slots.size()) {}

  const Sight& at(std::uint32_t slot);

  // Where the path leads if it is a link.
  Led link_at(std::uint32_t slot);
  // Where it leads in the end.
  const Led& real_path_at(std::uint32_t slot);

 private:
  enum class Absence : std::uint8_t { unknown, proved };

  Sight look(std::uint32_t slot);
  Sight see(std::uint32_t slot);
  Absence proved_by_parent(const Slot& slot);
  void learn_absence(const Slot& slot);
  Led resolve(std::uint32_t slot);
  Led resolve_by_kernel(const std::string& path);
  int open_directory(std::uint32_t slot, const Stamp& expected);

  const Plan& plan_;
  const std::uint64_t now_ns_;
  Effort& effort_;
  Looks* const looks_;
  std::vector<Sight> sights_;
  // The directory that absences are being learned in; neighbours in a set tend to share it.
  std::uint32_t open_slot_ = Slot::kNone;
  UniqueFd open_;
  std::unordered_map<std::uint32_t, Led> real_paths_;
};

}  // namespace hipcache::inputs

#endif
