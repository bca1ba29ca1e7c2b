// A compile request, parsed from the client's message.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "daemon/request/services.h"
#include "daemon/shared/wait_budget.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/config/settings.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// A file that the command reads and then writes (an archive), in its state before the command. It is part of the key.
struct Updated {
  std::string path;               // absolute; empty if the command updates no file
  std::optional<Digest> content;  // nothing if there was no file
  std::uint32_t mode = 0;
};

struct Request {
  compiler::Invocation invocation;
  config::Settings settings;  // from the client's environment
  inputs::RunContext from;    // with the CUID, unless the user's own is respected
  std::string compiler;       // absolute, found in PATH
  Updated updated;
  std::uint32_t umask = 0;
  // Patience with other clients; shared with the result of opaque_request().
  std::shared_ptr<WaitBudget> wait_budget = std::make_shared<WaitBudget>();
};

// Parses a message, or says why the request is not cached. Touches the file system: PATH, the outputs' places, the root
// of the build tree.
std::variant<Request, compiler::Uncacheable> understand(const protocol::CompileRequest& message,
                                                        const Services& services);

// The digest of the tokens of the request's only source (Question::tokens); nothing if it has none or several, or if
// the source is no regular file that can be read. Costs one stat if the file's digest is remembered.
std::optional<Digest> tokens_of_source(const Request& request, inputs::FileSystemState& file_system);

// The path at which to place an output whose stored result says `place`.
std::string local_place(const std::string& place, const Request& request);

// The same command as an opaque compile, and why; nothing if that is impossible, too.
std::optional<Request> opaque_request(const Request& planned, const compiler::Uncacheable& why);

}  // namespace hipcache::daemon

#endif
