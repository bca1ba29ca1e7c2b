/* What a call gave, as a digest: which file, in which state; where a link led. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "trace/preload_call.h"
#include "trace/preload_internal.h"
#include "trace/seen_digest.h"

enum { WANTED = STATX_TYPE | STATX_INO | STATX_SIZE | STATX_MTIME | STATX_CTIME };

static uint64_t digest_of_file(const struct statx* status) {
  struct trace_identity identity = {
      .device_major = status->stx_dev_major, .device_minor = status->stx_dev_minor, .inode = status->stx_ino};
  if (S_ISREG(status->stx_mode)) {
    identity.size = status->stx_size;
    identity.changed_seconds = status->stx_ctime.tv_sec;
    identity.changed_nanoseconds = status->stx_ctime.tv_nsec;
    identity.modified_seconds = status->stx_mtime.tv_sec;
    identity.modified_nanoseconds = status->stx_mtime.tv_nsec;
  }
  return trace_digest_identity(&identity);
}

/* By statx, for the kernel's own structure of stat has no type in libc's headers. */
static uint64_t ask(int directory, const char* path, int flags) {
  struct statx status;
  const int saved = errno;
  const bool known = trace_call(SYS_statx, directory, path, flags, WANTED, &status) == 0;
  errno = saved;
  return known && (status.stx_mask & WANTED) == WANTED ? digest_of_file(&status) : 0;
}

uint64_t trace_seen_descriptor(int fd) { return fd >= 0 && trace_active() ? ask(fd, "", AT_EMPTY_PATH) : 0; }

uint64_t trace_seen_path(const char* path) { return trace_active() ? ask(AT_FDCWD, path, 0) : 0; }

uint64_t trace_seen_entry(uint64_t device, uint64_t inode, uint32_t mode, int64_t size) {
  if (!trace_active()) return 0;
  const struct trace_identity identity = {.device_major = major(device),
                                          .device_minor = minor(device),
                                          .inode = inode,
                                          .size = S_ISREG(mode) && size > 0 ? 1 : 0};
  return trace_digest_identity(&identity);
}

uint64_t trace_seen_text(const char* text, size_t length) { return trace_active() ? trace_digest(text, length) : 0; }
