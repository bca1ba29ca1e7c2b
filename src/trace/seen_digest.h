/* The digest in a record of what a call gave (`seen`): made by the preload library, and made again by the race guard.
 *
 * C, for the library is; the C++ side is hipcache/trace/seen.h. */
#ifndef HIPCACHE_TRACE_SEEN_DIGEST_H
#define HIPCACHE_TRACE_SEEN_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What tells the files of one name apart. Of a file that was only looked at, `size` is 1 for all that are not empty,
 * and no time counts. Of anything but a regular file only the first three count, the others are 0: a directory stays
 * the same one when something else is made in it. */
struct trace_identity {
  uint64_t device_major;
  uint64_t device_minor;
  uint64_t inode;
  uint64_t size;
  int64_t changed_seconds; /* ctime */
  int64_t changed_nanoseconds;
  int64_t modified_seconds; /* mtime */
  int64_t modified_nanoseconds;
};

/* Never 0, which stands for "not known". */
uint64_t trace_digest(const void* bytes, size_t size);
/* Without the bit below. */
uint64_t trace_digest_identity(const struct trace_identity* identity);

/* A bit that `open_read` records have beside the digest of a regular file: its ctime is not older than the clock was
 * when the process could begin to read. A later change may then leave the file in the same state. */
enum { TRACE_MAY_CHANGE_UNSEEN = 1 };

#ifdef __cplusplus
}
#endif

#endif
