#include "cli/doctor/doctor.h"

#include <array>

#include "cli/doctor/check_compilers.h"
#include "cli/doctor/check_daemon.h"
#include "cli/doctor/check_directory.h"
#include "cli/doctor/check_machine.h"
#include "cli/doctor/check_programs.h"
#include "cli/doctor/check_settings.h"
#include "cli/doctor/examination.h"

namespace hipcache::cli {
namespace {

using Check = void (*)(Examination& examination);

// In order: later checks need what earlier ones found.
constexpr std::array<Check, 7> kChecks{check_programs, check_settings, check_directory, check_daemon,
                                       check_space,    check_machine,  check_compilers};

}  // namespace

bool examine(const Words& compiler, const std::function<void(const std::string&)>& say) {
  Examination examination(own_environment());
  examination.compiler = compiler;
  std::size_t said = 0;
  for (const Check check : kChecks) {
    check(examination);
    for (; said < examination.findings.all().size(); ++said) say(to_line(examination.findings.all()[said]));
  }
  return !examination.findings.has_error();
}

}  // namespace hipcache::cli
