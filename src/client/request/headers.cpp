#include "client/request/headers.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string_view>

#include "client/connection/daemon_start.h"
#include "client/connection/lone_namespace.h"
#include "hipcache/base/files.h"
#include "hipcache/client/conversation.h"
#include "hipcache/client/own_request.h"
#include "hipcache/launcher/tracer.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {
namespace {

constexpr int kLowest = 19;  // priority

// A session may be scheduled as one group, whose priority counts in place of its processes'.
void take_lowest_priority() {
  setpriority(PRIO_PROCESS, 0, kLowest);
  const UniqueFd group(open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kText = "19";
  if (group) [[maybe_unused]]
    const ssize_t written = write(group.get(), kText.data(), kText.size());
}

void make_headers(const DaemonLink& link, const std::vector<std::string>& argv, Timeouts timeouts) {
  if (setsid() < 0 || !leave_descriptors()) return;
  take_lowest_priority();
  Result<protocol::CompileRequest> request = own_request(argv);
  if (!request) return;
  request->headers_only = true;
  // The jobserver's tokens are for the build.
  std::erase_if(request->environment, [](const std::string& entry) { return entry.starts_with("MAKEFLAGS="); });
  Result<protocol::Channel> channel = link.connect();
  if (!channel) return;
  [[maybe_unused]] const Result<Reply> reply = converse_over(*channel, *request, link.temporary_root(), timeouts);
}

}  // namespace

void start_making_headers(const DaemonLink& link, const std::vector<std::string>& argv, Timeouts timeouts) {
  if (launch_tracer() != 0 || !check_namespace()) return;
  if (fork() != 0) return;
  make_headers(link, argv, timeouts);
  _exit(0);
}

}  // namespace hipcache::client
