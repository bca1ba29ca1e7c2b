// Which steps are sent to the engine, as far as that does not depend on how busy this machine is. `hipcache --plan`
// tells it, and RemoteSteps sends by it.
//
// All texts are for people, and empty if nothing speaks against it. Thread-safe. Sends nothing.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_SENDING_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_SENDING_H

#include <cstdint>
#include <string>

#include "daemon/request/request_context.h"
#include "daemon/step/step.h"
#include "hipcache/config/execute_url.h"

namespace hipcache::daemon {

// Why no step of this request is sent. A daemon that publishes or signs results sends none unless the workers are
// trusted: what they make would be published with the rest.
std::string why_none_is_sent(const RequestContext& context);

// Whether a step of that cost is to be sent; 0: not known.
bool is_worth_sending(std::uint64_t cost_us, const config::ExecuteUrl& url);

// Why this step would not be sent now. REQUIRES: why_none_is_sent() is empty.
std::string why_not_sent(const StepSpec& spec, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
