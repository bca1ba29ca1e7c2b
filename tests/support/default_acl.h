// The bytes of a directory's default ACL, as setxattr(2) takes them for `system.posix_acl_default`.
#ifndef HIPCACHE_TESTS_SUPPORT_DEFAULT_ACL_H
#define HIPCACHE_TESTS_SUPPORT_DEFAULT_ACL_H

#include <string>

namespace hipcache::support {

// Permissions as in a mode's digit. With a mask there is an entry for another user, as the kernel demands.
std::string default_acl(unsigned owner, unsigned group, unsigned others, int mask = -1);

}  // namespace hipcache::support

#endif
