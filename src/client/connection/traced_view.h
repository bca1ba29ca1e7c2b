// Whether the tracer of this process may show it other files than the daemon sees.
//
// The problem: proot rewrites the names in its processes' system calls, so two sessions of it see different files in
// one mount namespace and below one root directory. Neither shows in the view by which daemons are told apart. The
// choice: no cache below a tracer, except below programs that are known only to look. Rejected: the tracer's process id
// as a part of the view. A proot within a proot shows the outer one's; and the daemon would be traced as well, so it
// would slow the session down, and the tracer would wait for its end.
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_TRACED_VIEW_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_TRACED_VIEW_H

#include "hipcache/base/result.h"

namespace hipcache::client {

// ErrorCode::unserved, with a message that names the tracer.
Status check_tracer();

}  // namespace hipcache::client

#endif
