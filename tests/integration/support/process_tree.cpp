#include "integration/support/process_tree.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "hipcache/base/files.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t parent = 0;
  char state = ' ';
};

// All processes that exist now.
std::map<pid_t, Process> processes() {
  std::map<pid_t, Process> all;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const Result<std::string> status = read_file(entry.path() / "stat", 4096);
    if (!status || status->rfind(')') == std::string::npos) continue;
    std::istringstream fields(status->substr(status->rfind(')') + 1));
    Process process;
    fields >> process.state >> process.parent;
    all.emplace(std::stoi(name), process);
  }
  return all;
}

bool are_stopped(const std::vector<pid_t>& wanted) {
  const auto all = processes();
  return std::all_of(wanted.begin(), wanted.end(), [&](pid_t process) {
    const auto at = all.find(process);
    return at == all.end() || at->second.state == 'T' || at->second.state == 'Z';
  });
}

bool stop(pid_t process, bool itself) {
  return support::comes_true([=] {
    std::vector<pid_t> all = descendants(process);
    if (itself) all.insert(all.begin(), process);
    for (const pid_t each : all) kill(each, SIGSTOP);
    return are_stopped(all) && descendants(process).size() + (itself ? 1 : 0) == all.size();
  });
}

}  // namespace

std::vector<pid_t> descendants(pid_t process) {
  const auto all = processes();
  std::vector<pid_t> found{process};
  for (std::size_t index = 0; index < found.size(); ++index)
    for (const auto& [pid, each] : all)
      if (each.parent == found[index]) found.push_back(pid);
  found.erase(found.begin());
  return found;
}

bool stop_with_descendants(pid_t process) { return stop(process, true); }
bool stop_descendants(pid_t process) { return stop(process, false); }

void go_on_with_descendants(pid_t process) {
  for (const pid_t each : descendants(process)) kill(each, SIGCONT);
  kill(process, SIGCONT);
}

}  // namespace hipcache::integration
