// Puts the outputs of a finished request where the compiler would have put them.
#ifndef HIPCACHE_SRC_CLIENT_OUTPUT_PLACER_H
#define HIPCACHE_SRC_CLIENT_OUTPUT_PLACER_H

#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// All of them, or an error: then some may be in place, and the compiler is to write them all itself. Only regular files
// that may be written are replaced; anything else (a device, a pipe, a write-protected file) is the compiler's to
// handle. REQUIRES: as many descriptors as outputs.
Status place_outputs(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors);

}  // namespace hipcache::client

#endif
