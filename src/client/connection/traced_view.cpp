#include "client/connection/traced_view.h"

#include <unistd.h>

#include <climits>
#include <cstdint>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/launcher/tracer.h"

namespace hipcache::client {
namespace {

constexpr std::uint64_t kMapsLimit = 4u << 20;

std::string name_of_program(const std::string& process) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink((process + "/exe").c_str(), path, sizeof path);
  return length <= 0 ? "" : std::string(base_name({path, static_cast<std::size_t>(length)}));
}

// Portage's sandbox traces static programs, to see what they write. The tracer is a process of the build itself.
bool is_of_sandbox(const std::string& process) {
  const Result<std::string> maps = read_file(process + "/maps", kMapsLimit);
  return maps && maps->find("/libsandbox.so") != std::string::npos;
}

}  // namespace

Status check_tracer() {
  const pid_t tracer = launch_tracer();
  if (tracer == 0) return done();
  const std::string process = "/proc/" + std::to_string(tracer);
  if (launch_only_observes(tracer) || is_of_sandbox(process)) return done();
  const std::string name = name_of_program(process);
  return Error{(name.empty() ? "a process" : name) +
                   " traces them (ptrace) and may show them other files than hipcache's daemon sees",
               ErrorCode::unserved};
}

}  // namespace hipcache::client
