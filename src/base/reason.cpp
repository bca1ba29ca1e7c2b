#include "hipcache/base/reason.h"

#include <algorithm>
#include <array>

namespace hipcache {
namespace {

// In the order of the values.
constexpr auto kTexts = std::to_array<const char*>({
    "",
    "not-a-compiler",
    "build-helper",
    "not-hip",
    "link",
    "preprocess-only",
    "other-output",
    "no-input",
    "several-inputs",
    "standard-input",
    "output-not-a-file",
    "driver-information",
    "lto",
    "offload-model",
    "split-dwarf",
    "save-temps",
    "time-trace",
    "optimization-record",
    "serialized-diagnostics",
    "compilation-database",
    "statistics",
    "coverage-notes",
    "extra-output",
    "modules",
    "precompiled-header",
    "plugin",
    "frontend-option",
    "backend-option",
    "linker-option",
    "archive-operation",
    "archive-times",
    "native-target",
    "random-cuid",
    "recorded-command-line",
    "unknown-option",
    "unsupported-option",
    "missing-argument",
    "response-file",
    "other-file-system-view",
    "no-command",
    "bad-configuration",
    "disabled",
    "compiler-not-found",
    "output-not-a-regular-file",
    "output-not-writable",
    "depfile-is-another-file",
    "no-temporary-directory",
    "probe-failed",
    "plan-not-understood",
    "step-failed",
    "writes-more-than-known",
    "names-temporary-files",
    "store-error",
    "prints-temporary-names",
    "prints-crash-report",
    "trace",
    "not-worth-storing",
    "unusual-mode",
    "untraceable-compiler",
    "compiler-is-a-wrapper",
    "input-changed",
    "wrapper-not-understood",
    "back-end-failed",
    "not-as-announced",
    "clock",
    "network",
    "writes-elsewhere",
    "reads-own-output",
    "prints-mixed",
    "starts-a-compiler",
});

static_assert(kTexts.size() == static_cast<std::size_t>(Reason::starts_a_compiler) + 1, "every reason has a text");

}  // namespace

const char* text_of(Reason reason) { return kTexts[static_cast<std::size_t>(reason)]; }

Reason reason_named(std::string_view text) {
  const auto* found = std::find_if(kTexts.begin(), kTexts.end(), [&](const char* one) { return text == one; });
  return found == kTexts.end() ? Reason::none : static_cast<Reason>(found - kTexts.begin());
}

}  // namespace hipcache
