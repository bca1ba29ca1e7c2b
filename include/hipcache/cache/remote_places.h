// Where a result of a shared cache may put files: in the request's directory and below its roots, never elsewhere.
//
// Problem: the result of a request says where each output goes. Whoever may write to a shared cache could name the
// user's start-up files. Choice: a result that names a place outside is not taken. The steps of the same compile name
// no places, so that compile costs a look-up for each step instead of one.
#ifndef HIPCACHE_CACHE_REMOTE_PLACES_H
#define HIPCACHE_CACHE_REMOTE_PLACES_H

#include <string_view>

#include "hipcache/cache/action_cache.h"

namespace hipcache::cache {

// `place`: as in Output. The toolchain is a root, but no compile writes there.
bool is_place_of_request(std::string_view place);

bool names_only_places_of_request(const ActionResult& result);

}  // namespace hipcache::cache

#endif
