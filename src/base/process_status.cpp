#include "hipcache/base/process_status.h"

#include <sstream>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache {

// The format is "PID (NAME) STATE PARENT ...", and the name may hold any character. proc_pid_stat(5).
std::optional<ProcessStatus> process_status(pid_t process) {
  constexpr std::uint64_t kLimit = 4096;
  constexpr int kBetweenParentAndStart = 17;
  if (process <= 0) return std::nullopt;
  const Result<std::string> text = read_file("/proc/" + std::to_string(process) + "/stat", kLimit);
  if (!text) return std::nullopt;
  const std::size_t name_begin = text->find('('), name_end = text->rfind(')');
  if (name_begin == text->npos || name_end == text->npos || name_end < name_begin) return std::nullopt;
  ProcessStatus status{.name = text->substr(name_begin + 1, name_end - name_begin - 1)};
  std::istringstream fields(text->substr(name_end + 1));
  std::string skipped;
  fields >> status.state >> status.parent;
  for (int field = 0; field < kBetweenParentAndStart; ++field) fields >> skipped;
  fields >> status.started;
  return fields ? std::optional(std::move(status)) : std::nullopt;
}

}  // namespace hipcache
