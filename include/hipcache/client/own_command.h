// The compile that this process was started for.
#ifndef HIPCACHE_CLIENT_OWN_COMMAND_H
#define HIPCACHE_CLIENT_OWN_COMMAND_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

struct OwnCommand {
  std::vector<std::string> argv;  // the compiler and its arguments
  std::vector<std::string> environment;
  std::string directory;  // physical
};

// With this process's environment and directory. Fails if the directory is gone.
Result<OwnCommand> own_command(std::vector<std::string> argv);

// argv, with argv[0] replaced by the path of the real compiler where it names this very program: hipcache may be called
// through a link named like a compiler, found in PATH before the compiler. An argv that begins with hipcache itself
// loses that word. Fails if there is no such compiler.
Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv);

// What the daemon is asked: to compile; callers that want to know something set that.
protocol::CompileRequest compile_request(const OwnCommand& command);

}  // namespace hipcache::client

#endif
