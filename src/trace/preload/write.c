/* Calls that change the file system by name: create, move, link, remove, or set mode, owner, size or time. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "trace/preload/internal.h"

/* A call of the form int name(path, ...). `parameters` and `arguments` are parenthesised lists. */
#define CHANGE(name, parameters, arguments)          \
  TRACE_HOOK(name);                                  \
  TRACE_EXPORT int name parameters {                 \
    const int result = TRACE_REAL(name) arguments;   \
    trace_path(TRACE_OPEN_WRITE, path, result == 0); \
    return result;                                   \
  }
CHANGE(unlink, (const char* path), (path))
CHANGE(rmdir, (const char* path), (path))
CHANGE(remove, (const char* path), (path))
CHANGE(mkdir, (const char* path, mode_t mode), (path, mode))
CHANGE(mkfifo, (const char* path, mode_t mode), (path, mode))
CHANGE(mknod, (const char* path, mode_t mode, dev_t device), (path, mode, device))
CHANGE(truncate, (const char* path, off_t size), (path, size))
CHANGE(truncate64, (const char* path, off64_t size), (path, size))
CHANGE(symlink, (const char* target, const char* path), (target, path))
CHANGE(chmod, (const char* path, mode_t mode), (path, mode))
CHANGE(lchmod, (const char* path, mode_t mode), (path, mode))
CHANGE(chown, (const char* path, uid_t user, gid_t group), (path, user, group))
CHANGE(lchown, (const char* path, uid_t user, gid_t group), (path, user, group))
CHANGE(utime, (const char* path, const struct utimbuf* times), (path, times))
CHANGE(utimes, (const char* path, const struct timeval times[2]), (path, times))
CHANGE(lutimes, (const char* path, const struct timeval times[2]), (path, times))

#define CHANGE_AT(name, parameters, arguments)                            \
  TRACE_HOOK(name);                                                       \
  TRACE_EXPORT int name parameters {                                      \
    const int result = TRACE_REAL(name) arguments;                        \
    trace_path_at(#name, TRACE_OPEN_WRITE, directory, path, result == 0); \
    return result;                                                        \
  }
CHANGE_AT(unlinkat, (int directory, const char* path, int flags), (directory, path, flags))
CHANGE_AT(mkdirat, (int directory, const char* path, mode_t mode), (directory, path, mode))
CHANGE_AT(mkfifoat, (int directory, const char* path, mode_t mode), (directory, path, mode))
CHANGE_AT(mknodat, (int directory, const char* path, mode_t mode, dev_t device), (directory, path, mode, device))
CHANGE_AT(symlinkat, (const char* target, int directory, const char* path), (target, directory, path))
CHANGE_AT(fchmodat, (int directory, const char* path, mode_t mode, int flags), (directory, path, mode, flags))
CHANGE_AT(fchownat, (int directory, const char* path, uid_t user, gid_t group, int flags),
          (directory, path, user, group, flags))
CHANGE_AT(futimesat, (int directory, const char* path, const struct timeval times[2]), (directory, path, times))
CHANGE_AT(utimensat, (int directory, const char* path, const struct timespec times[2], int flags),
          (directory, path, times, flags))

TRACE_HOOK(rename);
TRACE_EXPORT int rename(const char* from, const char* to) {
  const int result = TRACE_REAL(rename)(from, to);
  trace_path(TRACE_OPEN_WRITE, from, result == 0);
  trace_saw(TRACE_OPEN_WRITE, to, result == 0, TRACE_MOVED_HERE);
  return result;
}

TRACE_HOOK(renameat);
TRACE_EXPORT int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  const int result = TRACE_REAL(renameat)(from_directory, from, to_directory, to);
  trace_path_at("renameat", TRACE_OPEN_WRITE, from_directory, from, result == 0);
  trace_saw_at("renameat", TRACE_OPEN_WRITE, to_directory, to, result == 0, TRACE_MOVED_HERE);
  return result;
}

TRACE_HOOK(renameat2);
TRACE_EXPORT int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
  const int result = TRACE_REAL(renameat2)(from_directory, from, to_directory, to, flags);
  trace_path_at("renameat2", TRACE_OPEN_WRITE, from_directory, from, result == 0);
  trace_saw_at("renameat2", TRACE_OPEN_WRITE, to_directory, to, result == 0, TRACE_MOVED_HERE);
  return result;
}

/* Reading the new name reads the bytes of the old one, so the old name counts as read. */
TRACE_HOOK(link);
TRACE_EXPORT int link(const char* from, const char* to) {
  const int result = TRACE_REAL(link)(from, to);
  trace_path(TRACE_OPEN_READ, from, result == 0);
  trace_path(TRACE_OPEN_WRITE, to, result == 0);
  return result;
}

TRACE_HOOK(linkat);
TRACE_EXPORT int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) {
  const int result = TRACE_REAL(linkat)(from_directory, from, to_directory, to, flags);
  trace_path_at("linkat", TRACE_OPEN_READ, from_directory, from, result == 0);
  trace_path_at("linkat", TRACE_OPEN_WRITE, to_directory, to, result == 0);
  return result;
}

/* A call that fills in a template and returns a descriptor. */
#define MAKE_TEMPORARY(name, parameters, arguments) \
  TRACE_HOOK(name);                                 \
  TRACE_EXPORT int name parameters {                \
    const int fd = TRACE_REAL(name) arguments;      \
    trace_path(TRACE_OPEN_WRITE, path, fd >= 0);    \
    return fd;                                      \
  }
MAKE_TEMPORARY(mkstemp, (char* path), (path))
MAKE_TEMPORARY(mkstemp64, (char* path), (path))
MAKE_TEMPORARY(mkostemp, (char* path, int flags), (path, flags))
MAKE_TEMPORARY(mkostemp64, (char* path, int flags), (path, flags))
MAKE_TEMPORARY(mkstemps, (char* path, int suffix), (path, suffix))
MAKE_TEMPORARY(mkstemps64, (char* path, int suffix), (path, suffix))
MAKE_TEMPORARY(mkostemps, (char* path, int suffix, int flags), (path, suffix, flags))
MAKE_TEMPORARY(mkostemps64, (char* path, int suffix, int flags), (path, suffix, flags))

TRACE_HOOK(mkdtemp);
TRACE_EXPORT char* mkdtemp(char* path) {
  char* result = TRACE_REAL(mkdtemp)(path);
  trace_path(TRACE_OPEN_WRITE, path, result != NULL);
  return result;
}
