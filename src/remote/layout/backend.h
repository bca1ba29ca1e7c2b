// A shared cache, as hipcache needs it: one list for each action key, one result for each result key, and blobs.
//
// Problem: the servers differ. A web server or Redis keeps any value under any name. A REAPI server has one
// ActionResult for each key and a CAS, wants to know each blob's SHA-256 and size, and drops actions whose blobs it has
// lost. Choice: the interface speaks of lists, results and blobs, and each kind of server stores them as it can.
// PlainBackend (key_value.h) does it for all that only get and put values. A backend of another kind
// implements this interface and has a line in backends/open_backend.cpp; it may spread a list over slots, keep a path
// set as a blob, and join questions that several threads ask at once.
// Rejected: get and put as the interface, which would leave REAPI's rules to its callers.
//
// Thread-safe; several threads ask at once. Each call ends in bounded time (Limits). Values that come back have been
// checked against their key.
#ifndef HIPCACHE_SRC_REMOTE_LAYOUT_BACKEND_H
#define HIPCACHE_SRC_REMOTE_LAYOUT_BACKEND_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "remote/layout/values.h"

namespace hipcache::remote {

// The limits of one call.
struct Limits {
  std::chrono::milliseconds connect{500};
  std::chrono::milliseconds answer{300};   // until the first byte of the answer
  std::chrono::milliseconds stall{2'000};  // without any progress after that
  std::chrono::milliseconds total{30'000};
  // When all calls of one look-up have ended.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  std::atomic<std::uint64_t>* sent = nullptr;  // counts the bytes of values as they go out, for those who wait

  std::chrono::steady_clock::time_point last() const {
    return std::min(std::chrono::steady_clock::now() + total, until);
  }

  void note_sent(std::uint64_t bytes) const {
    if (sent != nullptr) *sent += bytes;
  }
};

// Why a call failed, for those who decide what to do next.
enum class Trouble {
  unreachable,  // no connection, no answer in time, a broken connection, a server error
  damaged,      // an answer that is not what was stored
  throttled,    // 429, 503: come back later
  refused,      // not permitted: credentials, or a server that is only read
  full,         // no room, or the value is too large
};

struct Failure {
  Trouble trouble = Trouble::unreachable;
  std::string message;                  // without the URL
  std::chrono::seconds retry_after{0};  // what a throttling server asked for; 0: nothing
  bool is_late = false;                 // nothing came within the limits
};

// A value, nothing, or why not.
template <typename T>
struct Answer {
  std::optional<T> value;
  std::optional<Failure> failure;
  std::uint64_t bytes = 0;  // over the wire

  Answer() = default;
  Answer(T found, std::uint64_t size) : value(std::move(found)), bytes(size) {}
  Answer(Failure why) : failure(std::move(why)) {}
};

struct Written {};
using WriteAnswer = Answer<Written>;  // without a value if nothing had to be written

class Backend {
 public:
  virtual ~Backend() = default;

  virtual Answer<List> list(const Digest& key, const Limits& limits) = 0;
  virtual Answer<RemoteResult> result(const Digest& key, const Limits& limits) = 0;
  virtual Answer<std::string> blob(const Digest& digest, std::uint64_t size, const Limits& limits) = 0;

  // Writes the blob unless the server has it.
  virtual WriteAnswer put_blob(const Digest& digest, const std::string& bytes, const Limits& limits) = 0;
  // `large`: the blobs of the result that are not in it. REQUIRES: they have been put.
  virtual WriteAnswer put_result(const Digest& key, const RemoteResult& result, std::span<const Digest> large,
                                 const Limits& limits) = 0;
  // Merges the path sets into the list, the first one first. Other machines do the same at the same time.
  virtual WriteAnswer add_to_list(const Digest& key, const List& sets, const Limits& limits) = 0;
};

}  // namespace hipcache::remote

#endif
