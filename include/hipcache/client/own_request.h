// The request to compile a command, as this process would run it.
//
// hipcache/launcher/compiler.h finds the compiler, hipcache/launcher/request.h describes the
// process; the launcher uses the same two.
#ifndef HIPCACHE_CLIENT_OWN_REQUEST_H
#define HIPCACHE_CLIENT_OWN_REQUEST_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// Becomes a wrapper, with hipcache in front of the compilers that it starts
// (hipcache/launcher/wrapper.h). Each function replaces this process, and returns only on failure.

// Returns the exit code, after it has printed why.
int exec_wrapper(std::vector<std::string> argv, const std::string& library,
                 const std::vector<std::string>& options = {});

// The same for a question about the compiler: "--plan", "--explain".
Error ask_wrapper(const std::vector<std::string>& argv, const std::string& library, const std::string& question,
                  bool json);

// Reads what the launcher hands to the full client: a command, and how far the launcher got with
// it. hipcache/launcher/handoff.h has the format.

struct LauncherHandoff {
  UniqueFd connection;  // invalid: none
  bool only_compiler = false;
};

// Removes the program's name and that word from `argv`, if they are there. The caller owns the
// descriptor.
std::optional<LauncherHandoff> take_launcher_handoff(std::vector<std::string>& argv);

// Replaces argv[0] by the path of the real compiler if argv[0] names this program. That happens if
// hipcache is called through a link with a compiler's name, which is found in PATH before the
// compiler. Removes a leading "hipcache". Fails if there is no such compiler.
Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv);

// The request to compile that command in this process's environment and directory; callers set
// further fields for other questions. Fails if the directory is gone. REQUIRES: no other thread.
Result<protocol::CompileRequest> own_request(std::vector<std::string> argv);

}  // namespace hipcache::client

#endif
