#include "daemon/opaque/inner_launcher.h"

#include <algorithm>

#include "daemon/request/reason.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

bool is_launcher(const trace::Record& record) {
  return record.kind == trace::Kind::program && base_name(record.text) == "hipcache";
}

Digest key_of(const Request& request) { return digest_of("inner launcher" + std::string(1, '\0') + request.compiler); }

}  // namespace

// An input that changed meanwhile says nothing about the next run.
void note_inner_launcher(const StepState& state, const std::vector<trace::Record>& records,
                         const RequestContext& context) {
  if (!state.succeeded() || state.result.refusal.empty() || state.result.refusal == reason::kInputChanged) return;
  if (std::none_of(records.begin(), records.end(), is_launcher)) return;
  context.services.doubts.add(key_of(context.request));
  context.services.log.info(
      context.of_object(context.request.compiler + " is left to the hipcache that it runs: " + state.result.refusal));
}

std::optional<compiler::Uncacheable> left_to_inner_launcher(const RequestContext& context) {
  if (!context.services.doubts.has(key_of(context.request))) return std::nullopt;
  return compiler::Uncacheable{reason::kRunsHipcache, context.request.compiler};
}

}  // namespace hipcache::daemon
