// A compile request, parsed from the client's message.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/shared/services.h"
#include "daemon/shared/single_flight.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/config/settings.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// Variables that make clang's driver itself write or print: CC_PRINT_OPTIONS, CC_PRINT_HEADERS, CC_LOG_DIAGNOSTICS and
// kin (clang/tools/driver/driver.cpp).
//
// The jobs that the driver prints do not show all such reports, so a compile with one is not split. A report on this
// one run cannot be stored either, and the command is passed through. Other reports are files and messages of an opaque
// compile. A report that is not known, of a later clang, counts by the beginning of its name.

// Names such a variable that is set. An empty value counts, as for the driver.
std::optional<compiler::Uncacheable> report_by_variable(const std::vector<std::string>& environment);

// A file that the command reads and then writes (an archive), in its state before the command. It is part of the key.
struct Updated {
  std::string path;               // absolute; empty if the command updates no file
  std::optional<Digest> content;  // nothing if there was no file
  std::uint32_t mode = 0;
};

class ForeignMounts;

struct Request {
  compiler::Invocation invocation;
  config::Settings settings;  // from the client's environment
  inputs::RunContext from;    // with the CUID, unless the user's own is respected
  std::string compiler;       // absolute, found in PATH
  Updated updated;
  std::uint32_t umask = 0;
  // Of a client in another mount namespace; null otherwise.
  std::shared_ptr<ForeignMounts> foreign_mounts;
  // Patience with other clients; shared with the result of opaque_request().
  std::shared_ptr<WaitBudget> wait_budget = std::make_shared<WaitBudget>();
};

// Parses a message, or says why the request is not cached. Touches the file system: PATH, the outputs' places, the root
// of the build tree.
// REQUIRES: the client sees the same files as this process.
std::variant<Request, compiler::Uncacheable> understand(const protocol::CompileRequest& message,
                                                        const Services& services);

// The id for a plan of relocatable code, "" for other code or if the user's own id counts. Relocatable code of several
// compiles is linked together, so all macros count, and what the driver adds. The driver's plan says whether the code
// is relocatable, because variables, files of options and scripts around the driver decide it as well as the command.
std::string relocatable_cuid_of(const Request& request, const hip::Plan& plan, inputs::FileSystemState& file_system);

// The ids of the sources of a command with several; none for other commands, or if the user's own id counts.
hip::SourceIds source_ids_of(const Request& request, inputs::FileSystemState& file_system);

// The digest of the tokens of the request's only source (Question::tokens); nothing if it has none or several, or if
// the source is no regular file that can be read. Costs one stat if the file's digest is remembered.
std::optional<Digest> tokens_of_source(const Request& request, inputs::FileSystemState& file_system);

// The path at which to place an output whose stored result says `place`.
std::string local_place(const std::string& place, const Request& request);

// The request as an opaque compile, if it cannot be split for that reason: the plan has an unknown shape, or a script
// runs the compiler. Nothing if an opaque compile is impossible, too.
std::optional<Request> opaque_instead(const Request& planned, const compiler::Uncacheable& why);

}  // namespace hipcache::daemon

#endif
