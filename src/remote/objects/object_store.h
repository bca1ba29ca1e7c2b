// The objects of a service as a plain store.
//
// Lists are changed with conditions: the tag that was read must still count, or there must be no list. A writer who
// comes second is told so, reads again and merges, so no path set is lost. Not every server that speaks a service's
// protocol knows conditions: one may refuse them, another ignore them. So the first list that is written is followed by
// a write of the same bytes which must fail. Where it does not, lists are changed as on a plain web server
// (layout/key_value.h). Rejected: an object for each path set, which needs a listing in each look-up.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_OBJECT_STORE_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_OBJECT_STORE_H

#include <functional>
#include <memory>

#include "remote/layout/key_value.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

std::unique_ptr<KeyValue> make_object_store(std::unique_ptr<const ObjectService> service,
                                            std::function<SystemTime()> now);

}  // namespace hipcache::remote

#endif
