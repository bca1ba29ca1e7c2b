// Where a path that a process named lies, as far as that decides whether it counts.
#ifndef HIPCACHE_INPUTS_PLACES_H
#define HIPCACHE_INPUTS_PLACES_H

#include <string>
#include <string_view>

namespace hipcache::inputs {

enum class Place {
  world,    // counts
  own,      // in the request's temporary directory: made by the step itself or by us
  system,   // in /proc or /dev: the machine and the process, not the project. /dev/shm is a place like any other
  process,  // through a descriptor, or the working or root directory of a process, in /proc or /dev: it counts, but
            // cannot be asked for again by that name
};

class Places {
 public:
  // `own_directory` is known by its spelling and by its real path.
  explicit Places(const std::string& own_directory);

  // `absolute` may hold ".." and doubled slashes.
  Place of(std::string_view absolute) const;

 private:
  std::string spelled_;
  std::string real_;
};

// What may be written without leaving a trace in the world: /dev/null, terminals and the standard streams.
bool is_sink(std::string_view absolute);

// Without ".", ".." and doubled slashes, as if no component were a link.
std::string normal_spelling(std::string_view path);

}  // namespace hipcache::inputs

#endif
