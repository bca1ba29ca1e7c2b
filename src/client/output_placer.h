// Puts the outputs of a finished request where the compiler would have put them: hipcache/launch/place.h.
#ifndef HIPCACHE_SRC_CLIENT_OUTPUT_PLACER_H
#define HIPCACHE_SRC_CLIENT_OUTPUT_PLACER_H

#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// All of them, or an error: then some may be in place, and the compiler is to write them all itself. REQUIRES: as many
// descriptors as outputs without content.
Status place_outputs(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors);

}  // namespace hipcache::client

#endif
