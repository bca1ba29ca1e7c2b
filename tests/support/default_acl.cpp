#include "support/default_acl.h"

#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>

namespace hipcache::support {
namespace {

constexpr unsigned kOtherUser = 12345;
constexpr unsigned kAll = 7;

template <typename Value>
void add(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

posix_acl_xattr_entry entry(unsigned tag, unsigned allowed, unsigned id = static_cast<unsigned>(ACL_UNDEFINED_ID)) {
  return {static_cast<__le16>(tag), static_cast<__le16>(allowed), id};
}

}  // namespace

std::string default_acl(unsigned owner, unsigned group, unsigned others, int mask) {
  std::string bytes;
  add(bytes, posix_acl_xattr_header{POSIX_ACL_XATTR_VERSION});
  add(bytes, entry(ACL_USER_OBJ, owner));
  if (mask >= 0) add(bytes, entry(ACL_USER, kAll, kOtherUser));
  add(bytes, entry(ACL_GROUP_OBJ, group));
  if (mask >= 0) add(bytes, entry(ACL_MASK, static_cast<unsigned>(mask)));
  add(bytes, entry(ACL_OTHER, others));
  return bytes;
}

}  // namespace hipcache::support
