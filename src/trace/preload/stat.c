/* Calls that ask whether a path exists and what it is: stat, access and their variants, of current and older libcs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "trace/preload/internal.h"

int __xstat(int version, const char* path, struct stat* status);
int __lxstat(int version, const char* path, struct stat* status);
int __xstat64(int version, const char* path, struct stat64* status);
int __lxstat64(int version, const char* path, struct stat64* status);
int __fxstatat(int version, int directory, const char* path, struct stat* status, int flags);
int __fxstatat64(int version, int directory, const char* path, struct stat64* status, int flags);

/* The digest of a filled structure stat; 0 if the call failed. */
#define SEEN_ENTRY(status) \
  (result == 0 ? trace_seen_entry((status)->st_dev, (status)->st_ino, (status)->st_mode, (status)->st_size) : 0)

#define LOOK(name, type)                                          \
  TRACE_HOOK(name);                                               \
  TRACE_EXPORT int name(const char* path, type* status) {         \
    const int result = TRACE_REAL(name)(path, status);            \
    trace_saw(TRACE_LOOK, path, result == 0, SEEN_ENTRY(status)); \
    return result;                                                \
  }
LOOK(stat, struct stat)
LOOK(lstat, struct stat)
LOOK(stat64, struct stat64)
LOOK(lstat64, struct stat64)

#define LOOK_AT_FILE_SYSTEM(name, type)                   \
  TRACE_HOOK(name);                                       \
  TRACE_EXPORT int name(const char* path, type* status) { \
    const int result = TRACE_REAL(name)(path, status);    \
    trace_path(TRACE_LOOK, path, result == 0);            \
    return result;                                        \
  }
LOOK_AT_FILE_SYSTEM(statfs, struct statfs)
LOOK_AT_FILE_SYSTEM(statfs64, struct statfs64)
LOOK_AT_FILE_SYSTEM(statvfs, struct statvfs)
LOOK_AT_FILE_SYSTEM(statvfs64, struct statvfs64)

#define LOOK_AT(name, type)                                                            \
  TRACE_HOOK(name);                                                                    \
  TRACE_EXPORT int name(int directory, const char* path, type* status, int flags) {    \
    const int result = TRACE_REAL(name)(directory, path, status, flags);               \
    trace_saw_at(#name, TRACE_LOOK, directory, path, result == 0, SEEN_ENTRY(status)); \
    return result;                                                                     \
  }
LOOK_AT(fstatat, struct stat)
LOOK_AT(fstatat64, struct stat64)

/* A call need not ask for all fields that the digest takes. */
static uint64_t seen_extended(const struct statx* status) {
  const unsigned wanted = STATX_INO | STATX_TYPE | STATX_SIZE;
  if ((status->stx_mask & wanted) != wanted) return 0;
  return trace_seen_entry(makedev(status->stx_dev_major, status->stx_dev_minor), status->stx_ino, status->stx_mode,
                          (int64_t)status->stx_size);
}

TRACE_HOOK(statx);
TRACE_EXPORT int statx(int directory, const char* path, int flags, unsigned mask, struct statx* status) {
  const int result = TRACE_REAL(statx)(directory, path, flags, mask, status);
  trace_saw_at("statx", TRACE_LOOK, directory, path, result == 0, result == 0 ? seen_extended(status) : 0);
  return result;
}

#define LOOK_OLD(name, type)                                           \
  TRACE_HOOK(name);                                                    \
  TRACE_EXPORT int name(int version, const char* path, type* status) { \
    const int result = TRACE_REAL(name)(version, path, status);        \
    trace_saw(TRACE_LOOK, path, result == 0, SEEN_ENTRY(status));      \
    return result;                                                     \
  }
LOOK_OLD(__xstat, struct stat)
LOOK_OLD(__lxstat, struct stat)
LOOK_OLD(__xstat64, struct stat64)
LOOK_OLD(__lxstat64, struct stat64)

#define LOOK_OLD_AT(name, type)                                                                  \
  TRACE_HOOK(name);                                                                              \
  TRACE_EXPORT int name(int version, int directory, const char* path, type* status, int flags) { \
    const int result = TRACE_REAL(name)(version, directory, path, status, flags);                \
    trace_saw_at(#name, TRACE_LOOK, directory, path, result == 0, SEEN_ENTRY(status));           \
    return result;                                                                               \
  }
LOOK_OLD_AT(__fxstatat, struct stat)
LOOK_OLD_AT(__fxstatat64, struct stat64)

#define ACCESS(name)                                  \
  TRACE_HOOK(name);                                   \
  TRACE_EXPORT int name(const char* path, int mode) { \
    const int result = TRACE_REAL(name)(path, mode);  \
    trace_path(TRACE_LOOK, path, result == 0);        \
    return result;                                    \
  }
ACCESS(access)
ACCESS(eaccess)
ACCESS(euidaccess)

TRACE_HOOK(faccessat);
TRACE_EXPORT int faccessat(int directory, const char* path, int mode, int flags) {
  const int result = TRACE_REAL(faccessat)(directory, path, mode, flags);
  trace_path_at("faccessat", TRACE_LOOK, directory, path, result == 0);
  return result;
}
