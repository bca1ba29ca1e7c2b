// An output of a run, as it was read.
#ifndef HIPCACHE_SRC_DAEMON_RECORD_COLLECTED_OUTPUT_H
#define HIPCACHE_SRC_DAEMON_RECORD_COLLECTED_OUTPUT_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace hipcache::daemon {

// An output of a run, in the form to be stored. `place` and the two flags below are set only for opaque compiles; for
// steps, the plan has them.
struct CollectedOutput {
  std::string role;
  std::string bytes;
  bool executable = false;
  std::string place;
  bool in_place = false;
  bool in_place_if_empty = false;
};

// Whether the text consists of make rules only, as depfiles do: targets, a colon, files, with continued lines.
bool holds_only_rules(std::string_view bytes);

// The mode that a new file gets when a compiler creates it, and so does the client on a hit.
//
// A default ACL of the directory takes the umask's place (acl(5)): each class of users gets what both the ACL and the
// maker allow. Directories of projects on shared machines often have one.

// `asked`: the mode that the maker of the file asks for.
mode_t usual_mode(const std::string& path, mode_t asked, mode_t umask);

// The permissions that a default ACL allows, from the bytes of `system.posix_acl_default`. None if they are damaged or
// of another version. The format is the kernel's (include/uapi/linux/posix_acl_xattr.h).
std::optional<mode_t> allowed_by_default_acl(std::string_view bytes);

}  // namespace hipcache::daemon

#endif
