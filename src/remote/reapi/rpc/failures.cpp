#include "remote/reapi/rpc/failures.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace hipcache::remote {
namespace {

constexpr std::size_t kShown = 200;  // characters of gRPC's message

struct KnownCode {
  RpcCode code;
  std::string_view name;
  Trouble reading;
  Trouble writing;
};

// The rest is Trouble::unreachable: another attempt may succeed.
constexpr auto kCodes = std::to_array<KnownCode>({
    {RpcCode::cancelled, "CANCELLED", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::unknown, "UNKNOWN", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::invalid_argument, "INVALID_ARGUMENT", Trouble::refused, Trouble::refused},
    {RpcCode::deadline_exceeded, "DEADLINE_EXCEEDED", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::not_found, "NOT_FOUND", Trouble::damaged, Trouble::refused},
    {RpcCode::permission_denied, "PERMISSION_DENIED", Trouble::refused, Trouble::refused},
    {RpcCode::resource_exhausted, "RESOURCE_EXHAUSTED", Trouble::throttled, Trouble::full},
    {RpcCode::failed_precondition, "FAILED_PRECONDITION", Trouble::damaged, Trouble::refused},
    {RpcCode::aborted, "ABORTED", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::out_of_range, "OUT_OF_RANGE", Trouble::damaged, Trouble::refused},
    {RpcCode::unimplemented, "UNIMPLEMENTED", Trouble::refused, Trouble::refused},
    {RpcCode::internal, "INTERNAL", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::unavailable, "UNAVAILABLE", Trouble::unreachable, Trouble::unreachable},
    {RpcCode::data_loss, "DATA_LOSS", Trouble::damaged, Trouble::unreachable},
    {RpcCode::unauthenticated, "UNAUTHENTICATED", Trouble::refused, Trouble::refused},
});

// One line, with nothing in it that a terminal would obey.
std::string printable(std::string_view text) {
  std::string shown;
  for (const char letter : text.substr(0, kShown)) shown += letter < ' ' || letter > '~' ? ' ' : letter;
  return shown;
}

}  // namespace

bool is_ok(const RpcEnd& end) { return end.code == RpcCode::ok && !end.timed_out; }

bool is_miss(const RpcEnd& end) {
  return !end.timed_out && (end.code == RpcCode::not_found || end.code == RpcCode::failed_precondition ||
                            end.code == RpcCode::out_of_range);
}

Failure failure_of(RpcCode code, Direction direction) {
  const auto* known =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const KnownCode& one) { return one.code == code; });
  if (known == kCodes.end()) return {Trouble::unreachable, "gRPC status " + std::to_string(static_cast<int>(code)), {}};
  return {
      direction == Direction::read ? known->reading : known->writing, "gRPC status " + std::string(known->name), {}};
}

Failure failure_of(const RpcEnd& end, Direction direction) {
  if (end.timed_out)
    return {Trouble::unreachable, end.was_connected ? "no answer in time" : "no connection in time", {}};
  Failure failure = failure_of(end.code, direction);
  if (!end.was_connected && !end.message.empty()) failure.message += ": " + printable(end.message);
  return failure;
}

}  // namespace hipcache::remote
