// One compile to be served: the client's message, understood.
#ifndef HIPCACHE_DAEMON_REQUEST_H
#define HIPCACHE_DAEMON_REQUEST_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "daemon/patience.h"
#include "daemon/services.h"
#include "hipcache/command/invocation.h"
#include "hipcache/config/settings.h"
#include "hipcache/inputs/world.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// A file that the command reads and then writes (an archive), as it was when the command was read: a part of its key.
struct Updated {
  std::string path;               // absolute; empty: the command has none
  std::optional<Digest> content;  // nothing: the file was not there
  std::uint32_t mode = 0;
};

struct Request {
  command::Invocation invocation;
  config::Settings settings;  // as the client's environment has them
  inputs::Surroundings from;  // with the id of the translation unit, unless the user's own is respected
  std::string compiler;       // absolute, what PATH leads to
  Updated updated;
  std::uint32_t umask = 0;
  bool colour = false;  // the compiler is to print as for a terminal
  // With other clients; shared with what undivided_request() makes of the request.
  std::shared_ptr<Patience> patience = std::make_shared<Patience>();
};

// Why a command is not ours, or the request. Touches the file system: PATH, the outputs' places, the root of the build
// tree.
std::variant<Request, command::Uncacheable> understand(const protocol::CompileRequest& message,
                                                       const Services& services);

// Where a file goes of which a stored result says `place`.
std::string local_place(const std::string& place, const Request& request);

// The same command to be served whole; nothing where that is not possible either.
std::optional<Request> undivided_request(const Request& planned);

}  // namespace hipcache::daemon

#endif
