// Which typed compilers are wrappers that run each time.
//
// The problem: a wrapper may give its compiler other words each time, by what no trace has
// (hipcache/inputs/script.h). The choice: hipcache runs it as without a cache, and caches the compilers that it starts
// (trace/preload/front.c). A script is known by its text. A program is known by what it started when it ran, and
// remembered with its content. Rejected: running every compiler that way. Its own start would cost each hit.
//
// hipcc is a script or a program that asks for no more than a trace has, and starts slowly. So its compiles are traced
// whole. Two commands of it are not: without an architecture it asks for the machine's, by a script in Python; and
// links, where the random seed of Perl's hashes cannot be told from a linker's.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_WRAPPERS_H
#define HIPCACHE_SRC_DAEMON_SHARED_WRAPPERS_H

#include <map>
#include <mutex>
#include <string>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/file_system_state.h"

namespace hipcache::daemon {

class Wrappers {
 public:
  explicit Wrappers(inputs::FileSystemState& file_system) : file_system_(file_system) {}

  // Whether the text of the program, at an absolute path, says that it runs each time. Costs one stat if that is known.
  bool is_script(const std::string& program);

  // A program that was seen to start a compiler, for that kind of command.
  void note(const std::string& program, const std::string& kind);
  bool is_noted(const std::string& program, const std::string& kind);

 private:
  static constexpr std::size_t kMost = 1024;  // when reached, a memory is cleared and fills again

  struct Known {
    Digest content;
    bool is_script = false;
  };

  inputs::FileSystemState& file_system_;
  std::mutex mutex_;
  std::map<std::string, Known> texts_;   // by path
  std::map<std::string, Digest> noted_;  // content by path and kind
};

}  // namespace hipcache::daemon

#endif
