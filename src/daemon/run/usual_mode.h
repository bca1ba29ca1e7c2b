// The mode that a new file gets when a compiler creates it, and so does the client on a hit.
//
// A default ACL of the directory takes the umask's place (acl(5)): each class of users gets what both the ACL and the
// maker allow. Directories of projects on shared machines often have one.
#ifndef HIPCACHE_SRC_DAEMON_RUN_USUAL_MODE_H
#define HIPCACHE_SRC_DAEMON_RUN_USUAL_MODE_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace hipcache::daemon {

// `asked`: the mode that the maker of the file asks for.
mode_t usual_mode(const std::string& path, mode_t asked, mode_t umask);

// The permissions that a default ACL allows, from the bytes of `system.posix_acl_default`. None if they are damaged or
// of another version. The format is the kernel's (include/uapi/linux/posix_acl_xattr.h).
std::optional<mode_t> allowed_by_default_acl(std::string_view bytes);

}  // namespace hipcache::daemon

#endif
