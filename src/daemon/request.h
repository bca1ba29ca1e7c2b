// One compile to be served: the client's message, understood.
#ifndef HIPCACHE_DAEMON_REQUEST_H
#define HIPCACHE_DAEMON_REQUEST_H

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "daemon/services.h"
#include "hipcache/command/invocation.h"
#include "hipcache/config/settings.h"
#include "hipcache/inputs/world.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

struct Request {
  command::Invocation invocation;
  config::Settings settings;  // as the client's environment has them
  inputs::Surroundings from;  // with the id of the translation unit, unless the user's own is respected
  std::string compiler;       // absolute, what PATH leads to
  std::uint32_t umask = 0;
  bool colour = false;  // the compiler is to print as for a terminal
};

// Why a command is not ours, or the request. Touches the file system: PATH, the outputs' places, the root of the build
// tree.
std::variant<Request, command::Uncacheable> understand(const protocol::CompileRequest& message,
                                                       const Services& services);

// The same command to be served whole; nothing where that is not possible either.
std::optional<Request> undivided_request(const Request& planned);

}  // namespace hipcache::daemon

#endif
