// A device step as an action of an engine, and whether it is one.
//
// The problem: a step is several commands in the user's working directory, with outputs in the request's temporary
// directory, and an action is one command with outputs below its working directory. The choice: a script of the shell
// that every image has, in "/". The shell is not traced; the trace library and the trace's name are set for each of the
// commands. All directories have the same names there as here (hipcache/protocol/worker_image.h), so what names them is
// equal. Rejected: an action for each command (the object between them would travel twice), and a program of ours on
// the image.
//
// The environment holds the variables that the compile is known to ask for, and no other: an environment is full of
// secrets, and a compile that asks for one more is not proved.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_ACTION_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_ACTION_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "daemon/execute/input_root.h"
#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "hipcache/base/result.h"
#include "hipcache/config/execute_url.h"
#include "hipcache/protocol/remote_messages.h"

namespace hipcache::daemon {

class Engine;

inline constexpr std::chrono::milliseconds kQueueLimit{2'000};

// Why no step of this request is sent. A daemon that publishes or signs results sends none unless the workers are
// trusted: what they make would be published with the rest.
std::string why_none_is_sent(const RequestContext& context);

// Whether a step of that cost is to be sent; 0: not known.
bool is_worth_sending(std::uint64_t cost_us, const config::ExecuteUrl& url);

// Why this step would not be sent now. REQUIRES: why_none_is_sent() is empty.
std::string why_not_sent(const StepSpec& spec, const RequestContext& context);

// Whether the device step can be an action at all, or a part of it (StepSpec::part).
bool may_be_sent(const StepSpec& spec);

// What an action leaves of its trace, by the ending of its name: more, if a command goes on with others
// (src/trace/preload/then.c).
struct TraceFiles {
  std::vector<std::string> traces, others;
};
TraceFiles trace_files_of(const StepSpec& spec);

// What the step's commands print, apart from what the worker's sandbox, shell or loader prints.
struct MessageFiles {
  std::string out, error;
};
MessageFiles message_files_of(const std::string& trace);

// How long the action may run for a step of that cost; 0: not known.
std::chrono::milliseconds deadline_of(std::uint64_t cost_us);

// The step's action, whose trace has the name `trace`. An error says why it is not sent.
Result<protocol::RemoteExecute> action_of(const StepSpec& spec, const InputNames& names, const std::string& trace,
                                          const StepContext& context, Engine& engine);

// The names of the variables that the action sets to their values of here.
std::set<std::string> variables_of(const protocol::RemoteExecute& action, const inputs::RunContext& from);

// What a worker must offer beside the URL's properties: "name=value". An error if the URL wants another toolchain than
// the device step's.
Result<std::vector<std::string>> platform_of(const StepSpec& device, const RequestContext& context, Engine& engine);

}  // namespace hipcache::daemon

#endif
