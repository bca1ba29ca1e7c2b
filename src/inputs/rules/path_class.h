// Classifies the paths that a process named: which of them count as inputs.
#ifndef HIPCACHE_SRC_INPUTS_RULES_PATH_CLASS_H
#define HIPCACHE_SRC_INPUTS_RULES_PATH_CLASS_H

#include <string>
#include <string_view>

namespace hipcache::inputs {

enum class PathClass {
  input,    // counts as an input
  own,      // in the request's temporary directory: made by the step itself or by hipcache
  system,   // on the short list in path_class.cpp: no input
  process,  // a process's own part of /proc, or an inherited descriptor: an input that cannot be read again
};

// Whether the path is /proc/self/fd or a descriptor in it. LLVM resolves these links to the names of files that it
// opened, and the trace has those files already.
bool is_own_descriptor(std::string_view absolute);

// Whether opening the path for reading gives an open descriptor of the process or of one of its ancestors. The path may
// be the descriptor's name or a link to it. Reads the file system.
bool reads_descriptor(const std::string& absolute);

// Whether the path holds what the kernel says of the processors and their memory: number, topology, caches.
bool tells_of_processors(std::string_view absolute);

class PathClassifier {
 public:
  // Recognises `own_directory` by this spelling and by its real path.
  explicit PathClassifier(const std::string& own_directory);

  // `absolute` may hold ".." and doubled slashes.
  PathClass of(std::string_view absolute) const;

 private:
  std::string spelled_;
  std::string real_;
};

// Whether writing to the path changes no file: /dev/null, terminals and the standard streams.
bool is_sink(std::string_view absolute);

// Without ".", ".." and doubled slashes, as if no component were a link.
std::string normal_spelling(std::string_view path);

}  // namespace hipcache::inputs

#endif
