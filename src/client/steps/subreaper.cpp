#include "client/steps/subreaper.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

constexpr int kGenerations = 64;  // each round may bring the children of the processes that the last one killed
constexpr std::uint64_t kListLimit = 1u << 20;

void end(pid_t pid) {
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::vector<pid_t> numbers_in(std::string_view list) {
  std::vector<pid_t> numbers;
  for (;;) {
    pid_t pid = 0;
    const auto parsed = std::from_chars(list.data(), list.data() + list.size(), pid);
    if (parsed.ec != std::errc()) return numbers;
    numbers.push_back(pid);
    list.remove_prefix(static_cast<std::size_t>(parsed.ptr - list.data()));
    if (list.starts_with(' ')) list.remove_prefix(1);
  }
}

// The children of all threads: a child belongs to the thread that started it until that thread ends.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  const Result<std::vector<std::string>> threads = list_directory("/proc/self/task");
  if (!threads) return all;
  for (const std::string& thread : *threads) {
    const Result<std::string> list = read_file("/proc/self/task/" + thread + "/children", kListLimit);
    if (!list) continue;
    const std::vector<pid_t> numbers = numbers_in(*list);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

// /proc shows the environment that the process was started with, as zero-terminated entries.
bool has_in_environment(pid_t pid, const std::string& entry) {
  const Result<std::string> environment = read_file("/proc/" + std::to_string(pid) + "/environ", kListLimit);
  return environment && ('\0' + *environment).find('\0' + entry + '\0') != std::string::npos;
}

}  // namespace

Children::Children() : inherited_(children()) {}

bool Children::is_ours(pid_t pid) const {
  if (std::find(inherited_.begin(), inherited_.end(), pid) != inherited_.end()) return false;
  return std::any_of(marks_.begin(), marks_.end(), [&](const auto& mark) { return has_in_environment(pid, mark); });
}

Subreaper::Subreaper(const Children& known) : known_(known) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

// The subreaper attribute would survive exec.
Subreaper::~Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 0); }

void Subreaper::end_all() const {
  for (int round = 0; round < kGenerations; ++round) {
    bool any = false;
    for (const pid_t pid : children()) {
      if (!known_.is_ours(pid)) continue;
      end(pid);
      any = true;
    }
    if (!any) return;
  }
}

}  // namespace hipcache::client
