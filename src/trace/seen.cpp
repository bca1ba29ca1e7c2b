#include "hipcache/trace/seen.h"

#include <sys/sysmacros.h>

#include "trace/seen_digest.h"

namespace hipcache::trace {
namespace {

trace_identity entry_of(const struct stat& status) {
  trace_identity identity = {};
  identity.device_major = major(status.st_dev);
  identity.device_minor = minor(status.st_dev);
  identity.inode = status.st_ino;
  return identity;
}

}  // namespace

std::uint64_t seen_file(const struct stat& status) {
  trace_identity identity = entry_of(status);
  if (S_ISREG(status.st_mode)) {
    identity.size = static_cast<std::uint64_t>(status.st_size);
    identity.changed_seconds = status.st_ctim.tv_sec;
    identity.changed_nanoseconds = status.st_ctim.tv_nsec;
    identity.modified_seconds = status.st_mtim.tv_sec;
    identity.modified_nanoseconds = status.st_mtim.tv_nsec;
  }
  return trace_digest_identity(&identity);
}

std::uint64_t seen_entry(const struct stat& status) {
  trace_identity identity = entry_of(status);
  identity.size = S_ISREG(status.st_mode) && status.st_size > 0 ? 1 : 0;
  return trace_digest_identity(&identity);
}

std::uint64_t seen_text(std::string_view text) { return trace_digest(text.data(), text.size()); }

}  // namespace hipcache::trace
