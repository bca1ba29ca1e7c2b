#include "remote/execution/outcome.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hipcache::remote {
namespace {

using protocol::ExecuteOutcome;

constexpr std::string_view kPreconditionFailure = "/google.rpc.PreconditionFailure";
constexpr const char* kMissing = "MISSING";

// Engines differ in what they say of a lost worker or blob: INTERNAL, UNKNOWN, ABORTED, NOT_FOUND and DATA_LOSS have
// been seen.
ExecuteOutcome outcome_of(RpcCode code) {
  switch (code) {
    case RpcCode::deadline_exceeded:
      return ExecuteOutcome::overdue;
    case RpcCode::unavailable:
    case RpcCode::resource_exhausted:
      return ExecuteOutcome::unavailable;
    case RpcCode::invalid_argument:
    case RpcCode::permission_denied:
    case RpcCode::failed_precondition:
    case RpcCode::out_of_range:
    case RpcCode::unimplemented:
    case RpcCode::unauthenticated:
      return ExecuteOutcome::refused;
    default:
      return ExecuteOutcome::lost;
  }
}

bool names_missing_blob(const google::longrunning::Status& status) {
  google::longrunning::PreconditionFailure failure;
  return std::any_of(status.details().begin(), status.details().end(), [&](const auto& detail) {
    return detail.type_url().ends_with(kPreconditionFailure) && failure.ParseFromString(detail.value()) &&
           std::any_of(failure.violations().begin(), failure.violations().end(),
                       [](const auto& violation) { return violation.type() == kMissing; });
  });
}

}  // namespace

NotDone our_fault(std::string detail) { return {.detail = std::move(detail)}; }

NotDone not_done(const Failure& failure) {
  NotDone why{.outcome = ExecuteOutcome::unavailable, .detail = failure.message};
  if (failure.trouble == Trouble::damaged) why.outcome = ExecuteOutcome::lost;
  if (failure.trouble == Trouble::refused || failure.trouble == Trouble::full) why.outcome = ExecuteOutcome::refused;
  return why;
}

NotDone not_done(const RpcEnd& end) {
  const Failure failure = failure_of(end, Direction::read);
  if (end.timed_out) return {.outcome = ExecuteOutcome::unavailable, .detail = failure.message};
  return {.outcome = outcome_of(end.code), .detail = failure.message};
}

// The server's own text is not shown: it may repeat what was sent.
NotDone not_done(const google::longrunning::Status& status) {
  const auto code = static_cast<RpcCode>(status.code());
  NotDone why{.outcome = outcome_of(code), .detail = failure_of(code, Direction::read).message};
  if (!names_missing_blob(status)) return why;
  return {.outcome = ExecuteOutcome::lost, .detail = why.detail + ": a blob is missing", .is_missing = true};
}

}  // namespace hipcache::remote
