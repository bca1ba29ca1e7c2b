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
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_WRAPPERS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_WRAPPERS_H

#include <string>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/shared/bounded_map.h"
#include "hipcache/base/digest.h"
#include "hipcache/inputs/file_system_state.h"

namespace hipcache::daemon {

// Whether a run that proves nothing was one of a wrapper: a script's, or one that also ran another driver. `ran`: the
// programs that left a trace.
bool is_run_of_wrapper(const Request& request, const std::vector<std::string>& ran);

class Wrappers {
 public:
  explicit Wrappers(inputs::FileSystemState& file_system) : file_system_(file_system) {}

  // Whether the request is one of a wrapper that runs each time. Costs one stat if that is known.
  bool runs_each_time(const Request& request);

  // The request's program was seen to start a compiler: it runs each time from now on, for commands of that kind.
  void note(const Request& request);

 private:
  bool is_noted(const Request& request);
  bool is_script(const std::string& program);

  struct Known {
    Digest content;
    bool is_script = false;
  };

  inputs::FileSystemState& file_system_;
  BoundedMap<std::string, Known, 1024> texts_;   // by path
  BoundedMap<std::string, Digest, 1024> noted_;  // content by path and kind of command
};

}  // namespace hipcache::daemon

#endif
