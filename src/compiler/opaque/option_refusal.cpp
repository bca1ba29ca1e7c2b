#include "compiler/opaque/option_refusal.h"

#include "compiler/command_line/option_rule.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

// Options whose effect no trace can show, or that query the driver and compile nothing.
const OptionRule kRules[] = {
    {reason::kDriverInformation,
     {"-v", "-###", "-V", "-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs", "-ccc-print-phases",
      "-ccc-print-bindings", "-time"},
     {"--version", "--help", "-help", "-print-", "--print-", "--target-help", "--autocomplete", "--short-version"}},
    {reason::kNativeTarget,
     {},
     {"--offload-arch=native", "--cuda-gpu-arch=native", "--amdgpu-target=native", "--amdgpu-arch-tool",
      "--nvptx-arch-tool", "--offload-arch-tool"}},
    {reason::kUnsupportedOption, {"-cc1", "-cc1as"}, {}},  // the frontend, not the driver
    {reason::kTimeTrace, {}, {"-ftime-trace", "-ftime-report"}},
    {reason::kStatistics, {"-Q"}, {"-fproc-stat-report", "-save-stats", "--save-stats", "-fmem-report"}},
    {reason::kPlugin, {}, {"-fplugin", "-fpass-plugin"}},
    {reason::kModules,
     {"-fmodules", "-fimplicit-modules", "-fmodules-ts"},
     {"-fmodules-cache-path", "-fmodule-mapper", "-fbuild-session-"}},
    {reason::kExtraOutput, {}, {"-gen-reproducer", "-fcrash-diagnostics-dir"}},
};

}  // namespace

const char* option_refusal(std::string_view option) { return refusal_by(kRules, option); }

}  // namespace hipcache::compiler
