// Names that lead through a process's own part of /proc: /proc/self/cwd, and links to it.
//
// The problem: the kernel resolves such a name for each process anew. Bazel sets PWD to /proc/self/cwd, Portage's
// sandbox reads that link in each program, and in the daemon it leads to "/".
// The choice: a traced process stays in its directory (a trace of chdir is refused), so the name means the request's
// working directory. It is asked about by that. Links are followed here, one by one, because realpath(3) does not tell
// that it went through /proc. All other names in a process's part stay unknown: its root, its descriptors.
// Rejected: the preload library resolves them, which would take a system call for each record.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_PROCESS_NAMES_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_PROCESS_NAMES_H

#include <string>
#include <unordered_map>

namespace hipcache::inputs {

class ProcessNames {
 public:
  enum class Leads {
    elsewhere,       // not through a process's part
    from_directory,  // from the working directory on
    unknown,         // through another name in a process's part
  };
  struct Meaning {
    Leads leads = Leads::elsewhere;
    std::string path;  // absolute, without what leads through /proc
  };

  explicit ProcessNames(std::string working_directory) : working_directory_(std::move(working_directory)) {}

  // `follows`: whether the process followed the last component if that is a link.
  Meaning of(const std::string& absolute, bool follows);

 private:
  Meaning resolve(const std::string& absolute, bool follows, int links_left);
  Meaning below(const Meaning& directory, const std::string& entry, bool follows, int links_left);
  Meaning of_directory(const std::string& absolute, int links_left);

  const std::string working_directory_;
  std::unordered_map<std::string, Meaning> directories_;
};

}  // namespace hipcache::inputs

#endif
