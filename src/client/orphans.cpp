#include "client/orphans.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

constexpr int kGenerations = 64;  // each round may bring the children of those that it ended
constexpr std::uint64_t kListLimit = 1u << 20;

void end(pid_t pid) {
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Orphans::Orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

// The mark would outlive exec.
Orphans::~Orphans() { prctl(PR_SET_CHILD_SUBREAPER, 0); }

void Orphans::end_all() const {
  const std::string self = std::to_string(getpid());
  for (int round = 0; round < kGenerations; ++round) {
    const Result<std::string> list = read_file("/proc/self/task/" + self + "/children", kListLimit);
    if (!list || list->empty()) return;
    std::string_view rest = *list;
    pid_t pid = 0;
    for (;;) {
      const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), pid);
      if (parsed.ec != std::errc()) break;
      end(pid);
      rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
      if (rest.starts_with(' ')) rest.remove_prefix(1);
    }
  }
}

}  // namespace hipcache::client
