// What an action finds on the worker, beside its image: the files that the compile is known to ask for.
//
// The problem: an engine stages a tree of files and links, which becomes the worker's "/". A compiler walks names such
// as /usr/lib/gcc/x/12/../../../../include, so each directory on the way must be there, and each link must be a link.
// The choice: each name is walked as the kernel walks it, and everything on its way becomes an entry. Rejected: names
// without "..", because another directory is then read if one on the way is a link.
//
// Not sent: what is on the image, and what no compile of this source has to see (docs/execution.md, "What is sent").
// Such a file is absent on the worker. If the compile asks for it, the result is not proved.
//
// Used by one thread. Touches the file system.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_INPUT_ROOT_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_INPUT_ROOT_H

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "hipcache/base/result.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/protocol/remote_messages.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

class Engine;

// What the compile of one source is known to ask for: which files an action brings to a worker, and which variables.
//
// Sources, in this order: what steps of this request read that ran here, the newest compiles of the same object
// (cache/miss_history.h), and else a scan: the frontend's own command, without making anything. A name too few costs
// an action that is not proved, and a name too many its bytes.
struct InputNames {
  std::set<std::string> paths;      // absolute, as the compiler spelled them: with ".." and links
  std::set<std::string> variables;  // by name

  void add(const inputs::PathSet& set, const inputs::RunContext& from);
  void add(const std::vector<trace::Record>& records, const std::string& working_directory);
  bool empty() const { return paths.empty(); }
};

// Those of earlier compiles; empty if there were none.
InputNames names_in_history(const RequestContext& context);

// The step that scans the sources of a device step; nothing if its first command is no frontend's of clang.
std::optional<StepSpec> scan_of(const StepSpec& device);

class InputRoot {
 public:
  static constexpr std::size_t kMostFiles = 20'000;
  static constexpr std::uint64_t kMostBytes = 512ull << 20;

  // `own`: the request's temporary directory. `source`: the absolute name of the source. The arguments outlive this
  // object.
  InputRoot(const inputs::RunContext& from, const std::string& own, const std::string& source, Engine& engine);

  // What the absolute name leads to, with everything on the way. Nothing if it leads nowhere.
  void add(const std::string& name);
  void add_directory(const std::string& path) { add(path); }
  // A file of another name here.
  void add_file(const std::string& path, const std::string& source);

  // An error if there is more than the limits allow.
  Result<std::vector<protocol::ExecuteInput>> take() &&;

 private:
  bool may_be_sent(const std::string& path) const;
  void put_file(const std::string& path, const std::string& source, const struct stat& status);

  const inputs::RunContext& from_;
  const std::string& own_;
  const std::string home_, source_directory_, toolchain_;
  Engine& engine_;
  std::map<std::string, protocol::ExecuteInput> inputs_;  // by path
  std::size_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace hipcache::daemon

#endif
