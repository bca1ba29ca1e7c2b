// Places the outputs of a finished request as the compiler would have: hipcache/launcher/place.h.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_OUTPUT_PLACER_H
#define HIPCACHE_SRC_CLIENT_STEPS_OUTPUT_PLACER_H

#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// Places all outputs. On an error some may be in place, and the compiler has to write them all. REQUIRES: as many
// descriptors as outputs without content.
Status place_outputs(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors);

}  // namespace hipcache::client

#endif
