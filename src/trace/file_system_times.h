/* Which file systems give a file a new ctime with every change, so that a file's stamp proves its content.
 *
 * The problem: FUSE systems (sshfs), FAT, 9p and shares of Windows make the ctime up, mostly from the mtime. A file
 * that was edited with size and mtime kept looks unchanged there. The choice: a list of the systems that keep a ctime
 * of their own. All others prove nothing, and the content of their files is compared. Rejected: looking for a ctime
 * that differs from the mtime. A system may make up both.
 *
 * In C, because the preload library is. */
#ifndef HIPCACHE_SRC_TRACE_FILE_SYSTEM_TIMES_H
#define HIPCACHE_SRC_TRACE_FILE_SYSTEM_TIMES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum trace_times {
  TRACE_TIMES_SHOW_CHANGES,
  TRACE_TIMES_OF_IMAGE, /* read-only images: nothing changes while one is mounted, and the next one may look alike */
  TRACE_TIMES_PROVE_NOTHING,
  TRACE_TIMES_OF_KERNEL, /* proc, sysfs, ...: made at each look; a second reading may block or differ */
};

/* By `f_type` of statfs(2). */
enum trace_times trace_times_of(unsigned long file_system);

/* Whether a change after a look at the ctime always gives another ctime (multigrain timestamps, Linux 6.13). Else the
 * clock that stamps files advances once in some milliseconds. `release`: as uname(2) tells it. A kernel in the
 * personality UNAME26 counts as an old one. True also for a system of whole seconds behind the same `f_type`: the
 * caller looks at the ctime. */
bool trace_times_are_fine(unsigned long file_system, const char* release);

#ifdef __cplusplus
}
#endif

#endif
