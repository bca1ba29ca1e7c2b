/* Files opened by name: the open family, the checked variants of _FORTIFY_SOURCE, and stdio. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/preload/internal.h"

int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int directory, const char* path, int flags);
int __openat64_2(int directory, const char* path, int flags);

static bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

#define OPEN(name)                                                                         \
  TRACE_HOOK(name);                                                                        \
  TRACE_EXPORT int name(const char* path, int flags, ...) {                                \
    mode_t mode = 0;                                                                       \
    if (takes_mode(flags)) {                                                               \
      va_list arguments;                                                                   \
      va_start(arguments, flags);                                                          \
      mode = va_arg(arguments, mode_t);                                                    \
      va_end(arguments);                                                                   \
    }                                                                                      \
    const bool existed = trace_existed(AT_FDCWD, path, flags);                             \
    const int fd = TRACE_REAL(name)(path, flags, mode);                                    \
    trace_open(#name, AT_FDCWD, path, flags, existed, fd >= 0, trace_seen_descriptor(fd)); \
    return fd;                                                                             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                        \
  TRACE_HOOK(name);                                                                         \
  TRACE_EXPORT int name(int directory, const char* path, int flags, ...) {                  \
    mode_t mode = 0;                                                                        \
    if (takes_mode(flags)) {                                                                \
      va_list arguments;                                                                    \
      va_start(arguments, flags);                                                           \
      mode = va_arg(arguments, mode_t);                                                     \
      va_end(arguments);                                                                    \
    }                                                                                       \
    const bool existed = trace_existed(directory, path, flags);                             \
    const int fd = TRACE_REAL(name)(directory, path, flags, mode);                          \
    trace_open(#name, directory, path, flags, existed, fd >= 0, trace_seen_descriptor(fd)); \
    return fd;                                                                              \
  }
OPENAT(openat)
OPENAT(openat64)

#define OPEN_CHECKED(name)                                                               \
  TRACE_HOOK(name);                                                                      \
  TRACE_EXPORT int name(const char* path, int flags) {                                   \
    const int fd = TRACE_REAL(name)(path, flags);                                        \
    trace_open(#name, AT_FDCWD, path, flags, false, fd >= 0, trace_seen_descriptor(fd)); \
    return fd;                                                                           \
  }
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)

#define OPENAT_CHECKED(name)                                                              \
  TRACE_HOOK(name);                                                                       \
  TRACE_EXPORT int name(int directory, const char* path, int flags) {                     \
    const int fd = TRACE_REAL(name)(directory, path, flags);                              \
    trace_open(#name, directory, path, flags, false, fd >= 0, trace_seen_descriptor(fd)); \
    return fd;                                                                            \
  }
OPENAT_CHECKED(__openat_2)
OPENAT_CHECKED(__openat64_2)

#define CREAT(name)                                           \
  TRACE_HOOK(name);                                           \
  TRACE_EXPORT int name(const char* path, mode_t mode) {      \
    const int fd = TRACE_REAL(name)(path, mode);              \
    trace_saw(TRACE_OPEN_WRITE, path, fd >= 0, TRACE_OPENED); \
    return fd;                                                \
  }
CREAT(creat)
CREAT(creat64)

/* The open(2) flags that a mode of fopen means. */
static int flags_of(const char* mode) {
  const bool both = strchr(mode, '+') != NULL;
  switch (mode[0]) {
    case 'r':
      return both ? O_RDWR : O_RDONLY;
    case 'w':
      return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
    default:
      return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
  }
}

static uint64_t seen_stream(FILE* file) { return file == NULL ? 0 : trace_seen_descriptor(fileno(file)); }

#define FOPEN(name)                                                                     \
  TRACE_HOOK(name);                                                                     \
  TRACE_EXPORT FILE* name(const char* path, const char* mode) {                         \
    const int flags = flags_of(mode);                                                   \
    const bool existed = trace_existed(AT_FDCWD, path, flags);                          \
    FILE* file = TRACE_REAL(name)(path, mode);                                          \
    trace_open(#name, AT_FDCWD, path, flags, existed, file != NULL, seen_stream(file)); \
    return file;                                                                        \
  }
FOPEN(fopen)
FOPEN(fopen64)

/* A null path only changes the stream's mode; its file has a record already. */
#define FREOPEN(name)                                                                   \
  TRACE_HOOK(name);                                                                     \
  TRACE_EXPORT FILE* name(const char* path, const char* mode, FILE* stream) {           \
    const int flags = flags_of(mode);                                                   \
    const bool existed = trace_existed(AT_FDCWD, path, flags);                          \
    FILE* file = TRACE_REAL(name)(path, mode, stream);                                  \
    trace_open(#name, AT_FDCWD, path, flags, existed, file != NULL, seen_stream(file)); \
    return file;                                                                        \
  }
FREOPEN(freopen)
FREOPEN(freopen64)
