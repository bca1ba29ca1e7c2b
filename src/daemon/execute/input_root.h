// What an action finds on the worker, beside its image: the files that the compile is known to ask for.
//
// The problem: an engine stages a tree of files and links, which becomes the worker's "/". A compiler walks names such
// as /usr/lib/gcc/x/12/../../../../include, so each directory on the way must be there, and each link must be a link.
// The choice: each name is walked as the kernel walks it, and everything on its way becomes an entry. Rejected: names
// without "..", because another directory is then read if one on the way is a link.
//
// Not sent: what is on the image (the system's directories, the toolchain), and what no compile of this source has to
// see: /etc, and a home directory outside of the request's own directories and its source's. Such a file is absent on
// the worker. If the compile asks for it, the result is not proved.
//
// Used by one thread. Touches the file system.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_INPUT_ROOT_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_INPUT_ROOT_H

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/inputs/run_context.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::daemon {

class Engine;

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
