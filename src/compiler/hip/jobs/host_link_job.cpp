#include "compiler/hip/jobs/host_link_job.h"

#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::hip {
namespace {

// Known options of GNU ld, gold, lld and mold, without dashes and values. The list omits options that write another
// file (Map, dependency-file, reproduce, thinlto-cache-dir) or print about the run itself (stats, trace, verbose,
// time-trace). It also omits options that randomise (shuffle-sections) or load code (plugin).
constexpr std::string_view kKnown =
    " ( ) Bdynamic Bstatic Bsymbolic Bsymbolic-functions E EB EL I L N O O0 O1 O2 O3 S T X "
    " allow-multiple-definition allow-shlib-undefined as-needed build-id call_shared color-diagnostics "
    " compress-debug-sections copy-dt-needed-entries d defsym demangle disable-new-dtags discard-all "
    " discard-locals dn dy dynamic-linker dynamic-list e eh-frame-hdr emit-relocs enable-new-dtags end-group "
    " end-lib entry error-limit exclude-libs export-dynamic export-dynamic-symbol export-dynamic-symbol-list "
    " fatal-warnings fini gc-sections gdb-index h hash-style icf init l library library-path m "
    " no-allow-shlib-undefined no-as-needed no-copy-dt-needed-entries no-demangle no-dynamic-linker "
    " no-eh-frame-hdr no-export-dynamic no-fatal-warnings no-gc-sections no-keep-memory no-pie no-relax "
    " no-rosegment no-undefined no-undefined-version no-warn-execstack no-warn-mismatch no-warn-rwx-segments "
    " no-whole-archive non_shared nostdlib o pack-dyn-relocs package-metadata pic-executable pie pop-state "
    " push-state q r relax relocatable retain-symbols-file rpath rpath-link s script shared soname start-group "
    " start-lib static strip-all strip-debug sysroot u undefined undefined-version unresolved-symbols "
    " version-script whole-archive wrap x z ";

Error unusual(const std::string& what) { return Error{"the compiler's plan has a host link " + what}; }

// "build-id" for "--build-id=sha1".
std::string_view name_of(std::string_view option) {
  option.remove_prefix(option.starts_with("--") ? 2 : 1);
  return option.substr(0, option.find('='));
}

// "-lm", "-L/usr/lib", "-zdefs".
bool has_joined_value(std::string_view option) {
  return option.starts_with("-l") || option.starts_with("-L") || option.starts_with("-z");
}

// A word without a dash is an input or an option's value; if it names a file, the trace records that file. A value that
// looks like an option is treated as one, which is safe. A linker's response file may hold any option, so it is not
// known.
bool is_known(std::string_view argument) {
  if (argument.starts_with('@')) return false;
  if (!argument.starts_with('-')) return true;
  const std::string_view name = name_of(argument);
  if (name == "build-id" && argument.ends_with("=uuid")) return false;
  return has_joined_value(argument) || lists(kKnown, name);
}

}  // namespace

Result<HostLinkJob> read_host_link_job(const Job& job, const std::string& directory) {
  HostLinkJob result{job, {}, 0, ""};
  for (std::size_t i = 1; i < job.size(); ++i) {
    if (job[i] == "-o") {
      if (result.output != 0 || i + 1 == job.size()) return unusual("without exactly one output");
      result.output = ++i;
    } else if (is_within(job[i], directory)) {
      result.inputs.push_back(i);
    } else if (!is_known(job[i]) && result.unknown_option.empty()) {
      result.unknown_option = job[i];
    }
  }
  if (result.output == 0) return unusual("without exactly one output");
  return result;
}

StepCommand host_link_command(const HostLinkJob& job, const std::vector<std::string>& inputs,
                              const std::string& output) {
  std::vector<std::string> argv = job.job;
  for (std::size_t i = 0; i < inputs.size(); ++i) argv[job.inputs[i]] = inputs[i];
  argv[job.output] = output;
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::hip
