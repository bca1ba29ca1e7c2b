/* Symbolic links followed by hand: readlink and realpath. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/preload/internal.h"

ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t room);
ssize_t __readlinkat_chk(int directory, const char* path, char* buffer, size_t size, size_t room);
char* __realpath_chk(const char* path, char* resolved, size_t room);

/* A target that fills the buffer may be truncated, so it gives no digest. */
static uint64_t seen_target(const char* target, ssize_t length, size_t room) {
  return length >= 0 && (size_t)length < room ? trace_seen_text(target, (size_t)length) : 0;
}

static uint64_t seen_path(const char* path) { return path == NULL ? 0 : trace_seen_text(path, strlen(path)); }

TRACE_HOOK(readlink);
TRACE_EXPORT ssize_t readlink(const char* path, char* buffer, size_t size) {
  const ssize_t length = TRACE_REAL(readlink)(path, buffer, size);
  trace_saw(TRACE_LINK, path, length >= 0, seen_target(buffer, length, size));
  return length;
}

TRACE_HOOK(__readlink_chk);
TRACE_EXPORT ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t room) {
  const ssize_t length = TRACE_REAL(__readlink_chk)(path, buffer, size, room);
  trace_saw(TRACE_LINK, path, length >= 0, seen_target(buffer, length, size));
  return length;
}

TRACE_HOOK(readlinkat);
TRACE_EXPORT ssize_t readlinkat(int directory, const char* path, char* buffer, size_t size) {
  const ssize_t length = TRACE_REAL(readlinkat)(directory, path, buffer, size);
  trace_saw_at("readlinkat", TRACE_LINK, directory, path, length >= 0, seen_target(buffer, length, size));
  return length;
}

TRACE_HOOK(__readlinkat_chk);
TRACE_EXPORT ssize_t __readlinkat_chk(int directory, const char* path, char* buffer, size_t size, size_t room) {
  const ssize_t length = TRACE_REAL(__readlinkat_chk)(directory, path, buffer, size, room);
  trace_saw_at("readlinkat", TRACE_LINK, directory, path, length >= 0, seen_target(buffer, length, size));
  return length;
}

TRACE_HOOK(realpath);
TRACE_EXPORT char* realpath(const char* path, char* resolved) {
  char* result = TRACE_REAL(realpath)(path, resolved);
  trace_saw(TRACE_REAL_PATH, path, result != NULL, seen_path(result));
  return result;
}

TRACE_HOOK(__realpath_chk);
TRACE_EXPORT char* __realpath_chk(const char* path, char* resolved, size_t room) {
  char* result = TRACE_REAL(__realpath_chk)(path, resolved, room);
  trace_saw(TRACE_REAL_PATH, path, result != NULL, seen_path(result));
  return result;
}

TRACE_HOOK(canonicalize_file_name);
TRACE_EXPORT char* canonicalize_file_name(const char* path) {
  char* result = TRACE_REAL(canonicalize_file_name)(path);
  trace_saw(TRACE_REAL_PATH, path, result != NULL, seen_path(result));
  return result;
}
