/* The digest (`seen`) of what a call gave. The preload library computes it, and the race guard computes it again.
 *
 * In C, because the library is. The C++ interface is hipcache/trace/seen.h. */
#ifndef HIPCACHE_SRC_TRACE_SEEN_DIGEST_H
#define HIPCACHE_SRC_TRACE_SEEN_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What identifies a file. For a file that was only looked at, `size` is 1 if it is not empty, and times are 0. For
 * anything but a regular file only the first three fields count, and the others are 0. So a directory stays the same
 * when an entry is added. */
struct trace_identity {
  uint64_t device_major;
  uint64_t device_minor;
  uint64_t inode;
  uint64_t size;
  int64_t changed_seconds; /* ctime */
  int64_t changed_nanoseconds;
  int64_t modified_seconds; /* mtime */
  int64_t modified_nanoseconds;
  uint64_t content; /* of an opened file whose times prove nothing (trace/file_system_times.h); else 0 */
};

/* Never 0, which means "not known". */
uint64_t trace_digest(const void* bytes, size_t size);
/* Without the bit below. */
uint64_t trace_digest_identity(const struct trace_identity* identity);

/* The digest of a content that is read in pieces: begins with TRACE_NO_CONTENT. */
#define TRACE_NO_CONTENT 14695981039346656037U
uint64_t trace_digest_more(uint64_t before, const void* bytes, size_t size);

/* What kind of entry a look found: in the lowest bits of the digest, in a trace with contents. */
enum trace_entry {
  TRACE_EMPTY_FILE = 1,
  TRACE_FILE = 2,
  TRACE_EMPTY_PROGRAM = 3,
  TRACE_EXECUTABLE = 4,
  TRACE_DIRECTORY = 5,
  TRACE_SYMBOLIC_LINK = 6,
  TRACE_OTHER = 7,
  TRACE_ENTRY_MASK = 7
};
enum trace_entry trace_entry_of(uint32_t mode, int64_t size);

/* Of a program or library with a build id, which the linker made of its content, both ends are digested: the first has
 * the id. All bytes of libLLVM would take longer than a light step does. Of one without an id all bytes are digested.
 */
enum { TRACE_END_SIZE = 4096 };
/* Whether the bytes that a file begins with have a build id. */
int trace_has_build_id(const void* head, size_t size);

/* A bit beside the digest of a regular file in `open_read` records. Set if the clock was not yet past the file's ctime
 * when the process could begin to read. A later change may then leave the file in the same state. */
enum { TRACE_MAY_CHANGE_UNSEEN = 1 };

#ifdef __cplusplus
}
#endif

#endif
