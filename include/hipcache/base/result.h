// Errors are values. A function that can fail returns Result<T>; no exception leaves a folder.
//
// Rejected: std::expected (needs -std=c++23 with g++-12; the project is C++20) and a third-party
// expected type (public headers show no third-party types). Has only what the project uses.
#ifndef HIPCACHE_BASE_RESULT_H
#define HIPCACHE_BASE_RESULT_H

#include <string>
#include <utility>
#include <variant>

namespace hipcache {

// The kind of an error, for callers that act on it. Messages are for people only: no decision reads
// one.
enum class ErrorCode {
  other,
  closed,     // the other side closed the connection
  timed_out,  // a wait ended without its event
  gone,       // no such thing (ENOENT, ENOTDIR, ESRCH)
  denied,     // not permitted (EACCES, EPERM, EROFS)
  no_space,   // a file system or a quota is full, or a size limit was hit (ENOSPC, EDQUOT, EFBIG)
  resources,  // too few descriptors, processes or memory (EMFILE, ENFILE, ENOMEM, EAGAIN)
  damaged,    // stored bytes are not the bytes that were stored
  busy,       // another process has it
  unserved,   // no daemon can or may serve this process, for a reason that its user should hear
};

struct Error {
  // One line that names the thing and, if there is one, the fix; no full stop or newline.
  std::string message;
  ErrorCode code = ErrorCode::other;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok()
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok()
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Unit {};

// The result of a function that returns no value: `return done();` or `return Error{...};`.
using Status = Result<Unit>;
inline Status done() { return Unit{}; }

}  // namespace hipcache

#endif
