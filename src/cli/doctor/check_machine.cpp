#include "cli/doctor/check_machine.h"

#include "hipcache/base/files.h"

namespace hipcache::cli {
namespace {

constexpr const char* kHugePages = "/sys/kernel/mm/transparent_hugepage/enabled";
constexpr std::uint64_t kTextLimit = 4096;

}  // namespace

std::string chosen_in(const std::string& choices) {
  const std::size_t begin = choices.find('[');
  const std::size_t end = choices.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return choices.substr(begin + 1, end - begin - 1);
}

void check_machine(Examination& examination) {
  const Result<std::string> choices = read_file(kHugePages, kTextLimit);
  if (choices && chosen_in(*choices) == "never")
    examination.findings.note(std::string("transparent huge pages are off, and compiles that miss take some percent "
                                          "longer; as root: echo madvise > ") +
                              kHugePages);
}

}  // namespace hipcache::cli
