// Places the outputs of a finished request and prints its texts, by the code that the launcher uses:
// hipcache/launcher/place.h.
#ifndef HIPCACHE_SRC_CLIENT_REQUEST_DELIVERY_H
#define HIPCACHE_SRC_CLIENT_REQUEST_DELIVERY_H

#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

// On an error nothing is printed and some outputs may be in place: the compiler has to write them all. REQUIRES: as
// many descriptors as outputs without content.
Status deliver(const protocol::Finish& finish, const std::vector<UniqueFd>& descriptors);

}  // namespace hipcache::client

#endif
