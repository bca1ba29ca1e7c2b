/* Turns a call on a path into its record: what counts as found, what is left out, what is unknown. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"
#include "trace/seen_digest.h"

static bool starts_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* Whether the path is a link from an own descriptor to the file that it has open. clang reads these so often that their
 * records would be most of a trace. Other paths in the kernel's own trees are recorded, and the reader judges them
 * (inputs/rules/path_class.cpp). */
static bool is_of_own_descriptor(enum trace_kind kind, const char* path) {
  static const char own[] = "/proc/self/fd/";
  if (kind != TRACE_LINK || !starts_with(path, own)) return false;
  return path[strspn(path + sizeof own - 1, "0123456789") + sizeof own - 1] == '\0';
}

/* "/proc/12/cwd" as "/proc/self/cwd" if that is this process's number, which the next one will not have. */
static const char* without_own_number(const char* path, char room[TRACE_TEXT_LIMIT + 1]) {
  static const char proc[] = "/proc/";
  static const char self[] = "/proc/self";
  if (!starts_with(path, proc)) return path;
  const char* end = path + sizeof proc - 1;
  long number = 0;
  for (; *end >= '0' && *end <= '9' && number < INT_MAX; ++end) number = 10 * number + (*end - '0');
  const size_t rest = strnlen(end, TRACE_TEXT_LIMIT);
  if (number == 0 || number != trace_call(SYS_getpid) || sizeof self + rest > TRACE_TEXT_LIMIT) return path;
  memcpy(room, self, sizeof self - 1);
  memcpy(room + sizeof self - 1, end, rest + 1);
  return room;
}

static bool is_out_of_resources(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

static void saw(enum trace_kind kind, const char* path, int error, uint64_t seen) {
  if (path == NULL || error == EFAULT || error == EINTR || !trace_active()) return;
  char room[TRACE_TEXT_LIMIT + 1];
  path = without_own_number(path, room);
  if (path[0] == '\0' || is_of_own_descriptor(kind, path)) return;
  if (is_out_of_resources(error)) {
    trace_unknown("out of memory or descriptors", path);
  } else {
    trace_emit_seen(kind, error == 0, error == 0 ? seen : 0, path);
  }
}

void trace_saw(enum trace_kind kind, const char* path, bool found, uint64_t seen) {
  saw(kind, path, found ? 0 : errno == 0 ? ENOENT : errno, seen);
}

void trace_path(enum trace_kind kind, const char* path, bool found) { trace_saw(kind, path, found, 0); }
void trace_path_error(enum trace_kind kind, const char* path, int error) { saw(kind, path, error, 0); }

static bool is_below_descriptor(int directory, const char* path) {
  return directory != AT_FDCWD && path[0] != '/' && path[0] != '\0';
}

void trace_saw_at(const char* call, enum trace_kind kind, int directory, const char* path, bool found, uint64_t seen) {
  if (path == NULL || (!found && errno == EFAULT)) return;
  if (is_below_descriptor(directory, path)) {
    trace_unknown(call, path);
  } else {
    trace_saw(kind, path, found, seen);
  }
}

void trace_path_at(const char* call, enum trace_kind kind, int directory, const char* path, bool found) {
  trace_saw_at(call, kind, directory, path, found, 0);
}

bool trace_existed(int directory, const char* path, int flags) {
  if ((flags & O_CREAT) == 0 || (flags & (O_EXCL | O_TRUNC)) != 0 || !trace_active()) return false;
  const int saved = errno;
  const bool there = trace_call(SYS_faccessat, directory, path, F_OK) == 0;
  errno = saved;
  return there;
}

bool trace_is_executable(int directory, const char* path) {
  const int saved = errno;
  const bool executable = trace_call(SYS_faccessat, directory, path, X_OK) == 0;
  errno = saved;
  return executable;
}

static bool may_write(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Whether the process may read bytes from before the call, or notice that there were none. Appending counts as well:
 * the old bytes are part of the result. */
static bool may_read(int flags, bool existed) {
  if ((flags & O_TRUNC) != 0 || (flags & O_TMPFILE) == O_TMPFILE) return false;
  if ((flags & O_ACCMODE) == O_WRONLY && (flags & O_CREAT) == 0) return (flags & O_DIRECTORY) == 0;
  return (flags & O_CREAT) == 0 || existed;
}

/* Whether old bytes stay in the file, or would stay if there were any. */
static bool keeps_what_was_there(int flags) {
  return (flags & O_CREAT) != 0 && (flags & (O_TRUNC | O_EXCL)) == 0 && (flags & O_TMPFILE) != O_TMPFILE;
}

/* The read is recorded before the write, because it reads the old bytes. O_PATH is recorded as a look: the record says
 * which file it is, not in which state. */
void trace_open(const char* call, int directory, const char* path, int flags, bool existed, bool found, uint64_t seen) {
  if ((flags & O_PATH) != 0) {
    trace_path_at(call, TRACE_LOOK, directory, path, found);
    return;
  }
  if (may_read(flags, existed))
    trace_saw_at(call, (flags & O_DIRECTORY) != 0 ? TRACE_LIST : TRACE_OPEN_READ, directory, path, found, seen);
  const enum trace_change change = keeps_what_was_there(flags) ? TRACE_ADDED_TO : TRACE_OPENED;
  if (may_write(flags)) trace_saw_at(call, TRACE_OPEN_WRITE, directory, path, found, change);
}

void trace_saw_file(const char* path) {
  if (!trace_active()) return;
  const int saved = errno;
  const uint64_t seen = trace_seen_path(path); /* libc has read it by now */
  errno = ENOENT;
  trace_saw(TRACE_OPEN_READ, path, seen != 0, seen | TRACE_MAY_CHANGE_UNSEEN);
  errno = saved;
}

bool trace_saw_there(const char* path) {
  const bool there = trace_existed(AT_FDCWD, path, O_CREAT);
  const int saved = errno;
  errno = ENOENT;
  trace_path(TRACE_LOOK, path, there);
  errno = saved;
  return there;
}
