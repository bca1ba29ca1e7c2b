// The request to compile a command, as this process would run it.
//
// hipcache/launcher/compiler.h finds the compiler, hipcache/launcher/request.h describes the
// process; the launcher uses the same two.
#ifndef HIPCACHE_CLIENT_OWN_REQUEST_H
#define HIPCACHE_CLIENT_OWN_REQUEST_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// Replaces argv[0] by the path of the real compiler if argv[0] names this program. That happens if
// hipcache is called through a link with a compiler's name, which is found in PATH before the
// compiler. Removes a leading "hipcache". Fails if there is no such compiler.
Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv);

// The request to compile that command in this process's environment and directory; callers set
// further fields for other questions. Fails if the directory is gone. REQUIRES: no other thread.
Result<protocol::CompileRequest> own_request(std::vector<std::string> argv);

}  // namespace hipcache::client

#endif
