// A list, divided into slots.
#ifndef HIPCACHE_SRC_REMOTE_REAPI_SLOTS_H
#define HIPCACHE_SRC_REMOTE_REAPI_SLOTS_H

#include <array>
#include <optional>
#include <string>

#include "hipcache/base/digest.h"
#include "remote/layout/values.h"
#include "remote/reapi/action_key.h"

namespace hipcache::remote {

using Slots = std::array<List, kSlots>;

Slots divide(const List& list);

// The newest of each slot first, then the second of each: slots do not say which of theirs is newer. Bounded.
List join(const Slots& slots);

// The slot's new value, or nothing if the present one has all of the sets. A damaged present value counts as none.
std::optional<std::string> merged_slot(const Digest& key, const std::optional<std::string>& present, const List& sets);

}  // namespace hipcache::remote

#endif
