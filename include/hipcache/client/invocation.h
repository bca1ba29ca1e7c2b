// The compile command that this process was started with.
#ifndef HIPCACHE_CLIENT_INVOCATION_H
#define HIPCACHE_CLIENT_INVOCATION_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

struct Invocation {
  std::vector<std::string> argv;  // the compiler and its arguments
  std::vector<std::string> environment;
  std::string directory;  // links resolved
};

// Adds this process's environment and directory. Fails if the directory is gone.
Result<Invocation> own_invocation(std::vector<std::string> argv);

// Replaces argv[0] by the path of the real compiler if argv[0] names this program. That happens if
// hipcache is called through a link with a compiler's name, which is found in PATH before the
// compiler. Removes a leading "hipcache". Fails if there is no such compiler.
Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv);

// The request to compile that command; callers set further fields for other questions.
protocol::CompileRequest compile_request(const Invocation& command);

}  // namespace hipcache::client

#endif
