// Where a path that a process named lies, as far as that decides whether it counts.
#ifndef HIPCACHE_INPUTS_PLACES_H
#define HIPCACHE_INPUTS_PLACES_H

#include <string>
#include <string_view>

namespace hipcache::inputs {

enum class Place {
  world,    // counts
  own,      // in the request's temporary directory: made by the step itself or by us
  system,   // of the short list in places.cpp: known to be no input, each for its reason
  process,  // a process's own part of /proc, or an inherited descriptor: it counts, but nobody can ask for it again
};

// Whether a look at the path, or the target of the link that it is, says nothing that the trace does not have anyhow:
// descriptors of the process's own, which LLVM resolves to the names of files that it has opened.
bool is_own_descriptor(std::string_view absolute);

// Whether who opens the path for reading gets an open descriptor of the process, or of one that it descends from: by
// its name, or by links to it. Asks the file system.
bool reads_descriptor(const std::string& absolute);

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
