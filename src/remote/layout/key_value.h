// A plain store: values under names. What web servers, Redis and directories have in common.
//
// Thread-safe; several threads ask at once.
#ifndef HIPCACHE_SRC_REMOTE_LAYOUT_KEY_VALUE_H
#define HIPCACHE_SRC_REMOTE_LAYOUT_KEY_VALUE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "remote/layout/backend.h"

namespace hipcache::remote {

// The new value for the present one (none: there is no value), or nothing if it should stay.
using Change = std::function<std::optional<std::string>(const std::optional<std::string>& present)>;

// Between two rounds of a change: longer than a round trip within a site, and different each time, so that two writers
// do not meet again.
void wait_a_moment();

class KeyValue {
 public:
  virtual ~KeyValue() = default;

  // At most `most` bytes; a longer value is a failure.
  virtual Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& limits) = 0;
  virtual Answer<bool> has(const std::string& name, const Limits& limits) = 0;
  // Readers see the old or the new value, or one that its digest shows to be damaged.
  virtual WriteAnswer put(const std::string& name, const std::string& value, const Limits& limits) = 0;

  // Changes a value that others change at the same time. This one reads, puts, and reads again after a while, up to
  // kRounds times: for servers that can do no more. Two writers may still displace one another, if one of them is
  // slower than that while. Servers that compare before they write do better.
  virtual WriteAnswer change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits);

 protected:
  static constexpr int kRounds = 4;
};

// Lists, results and blobs over a plain store (docs/internals/formats.md). A blob that came back damaged is written
// again by the next put, although the server has one. `prefix` may be empty. `max_bytes`: the largest value, over the
// wire and decoded.
std::unique_ptr<Backend> make_plain_backend(std::unique_ptr<KeyValue> store, const std::string& prefix,
                                            std::uint64_t max_bytes);

}  // namespace hipcache::remote

#endif
