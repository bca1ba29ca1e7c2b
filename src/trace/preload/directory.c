/* Directories: listed, walked, or entered. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/child_environment.h"
#include "trace/preload/internal.h"

char* __getcwd_chk(char* buffer, size_t size, size_t room);

static uint64_t seen_stream(DIR* directory) { return directory == NULL ? 0 : trace_seen_descriptor(dirfd(directory)); }

/* libc has closed the directory by now, so this looks at the path right after the call. */
static uint64_t seen_there(int directory, const char* path) {
  return directory == AT_FDCWD || path[0] == '/' ? trace_seen_path(path) : 0;
}

TRACE_HOOK(opendir);
TRACE_EXPORT DIR* opendir(const char* path) {
  DIR* directory = TRACE_REAL(opendir)(path);
  trace_saw(TRACE_LIST, path, directory != NULL, seen_stream(directory));
  return directory;
}

/* The trace may have the directory's open as that of a file. */
TRACE_HOOK(fdopendir);
TRACE_EXPORT DIR* fdopendir(int fd) {
  DIR* directory = TRACE_REAL(fdopendir)(fd);
  char path[TRACE_TEXT_LIMIT + 1];
  if (directory != NULL && trace_active()) {
    if (trace_path_of(fd, path)) {
      trace_saw(TRACE_LIST, path, true, trace_seen_descriptor(fd));
    } else {
      trace_unknown("fdopendir", "a directory without a path");
    }
  }
  return directory;
}

#define SCANDIR(name, entry)                                                                         \
  TRACE_HOOK(name);                                                                                  \
  TRACE_EXPORT int name(const char* path, struct entry*** names, int (*filter)(const struct entry*), \
                        int (*compare)(const struct entry**, const struct entry**)) {                \
    const int count = TRACE_REAL(name)(path, names, filter, compare);                                \
    trace_saw(TRACE_LIST, path, count >= 0, count >= 0 ? seen_there(AT_FDCWD, path) : 0);            \
    return count;                                                                                    \
  }
SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)

#define SCANDIRAT(name, entry)                                                                                      \
  TRACE_HOOK(name);                                                                                                 \
  TRACE_EXPORT int name(int directory, const char* path, struct entry*** names, int (*filter)(const struct entry*), \
                        int (*compare)(const struct entry**, const struct entry**)) {                               \
    const int count = TRACE_REAL(name)(directory, path, names, filter, compare);                                    \
    trace_saw_at(#name, TRACE_LIST, directory, path, count >= 0, count >= 0 ? seen_there(directory, path) : 0);     \
    return count;                                                                                                   \
  }
SCANDIRAT(scandirat, dirent)
SCANDIRAT(scandirat64, dirent64)

/* The pattern's directory, if only the last component holds wildcards and the flags need no look at the files. Such a
 * glob reads the names of that one directory. The linker uses one for /etc/ld.so.conf's parts. False for other
 * patterns. */
static bool is_of_one_directory(const char* pattern, int flags, char directory[TRACE_TEXT_LIMIT + 1]) {
  const int of_names_alone = GLOB_ERR | GLOB_NOSORT | GLOB_DOOFFS | GLOB_NOCHECK | GLOB_APPEND | GLOB_NOESCAPE |
                             GLOB_PERIOD | GLOB_NOMAGIC | GLOB_MAGCHAR;
  const char* slash = strrchr(pattern, '/');
  const size_t length = slash == NULL ? 0 : (size_t)(slash - pattern) + (slash == pattern);
  if ((flags & ~of_names_alone) != 0 || length > TRACE_TEXT_LIMIT || strcspn(pattern, "*?[\\") < length) return false;
  memcpy(directory, pattern, length);
  directory[length] = '\0';
  if (length == 0) strcpy(directory, ".");
  return true;
}

static void saw_pattern(const char* call, const char* pattern, int flags) {
  char directory[TRACE_TEXT_LIMIT + 1];
  if (!is_of_one_directory(pattern, flags, directory)) {
    trace_unknown(call, pattern);
    return;
  }
  const int saved = errno;
  const uint64_t seen = trace_seen_path(directory);
  errno = ENOENT;
  trace_saw(TRACE_LIST, directory, seen != 0, seen);
  errno = saved;
}

/* libc reads directories for these internally. If the pattern does not say which, the call is recorded as unknown. */
#define GLOB(name, type)                                                                                 \
  TRACE_HOOK(name);                                                                                      \
  TRACE_EXPORT int name(const char* pattern, int flags, int (*failed)(const char*, int), type* result) { \
    const int code = TRACE_REAL(name)(pattern, flags, failed, result);                                   \
    saw_pattern(#name, pattern, flags);                                                                  \
    return code;                                                                                         \
  }
GLOB(glob, glob_t)
GLOB(glob64, glob64_t)

#define FTW(name, visitor)                                                  \
  TRACE_HOOK(name);                                                         \
  TRACE_EXPORT int name(const char* path, visitor visit, int descriptors) { \
    trace_unknown(#name, path);                                             \
    return TRACE_REAL(name)(path, visit, descriptors);                      \
  }
FTW(ftw, __ftw_func_t)
FTW(ftw64, __ftw64_func_t)

#define NFTW(name, visitor)                                                            \
  TRACE_HOOK(name);                                                                    \
  TRACE_EXPORT int name(const char* path, visitor visit, int descriptors, int flags) { \
    trace_unknown(#name, path);                                                        \
    return TRACE_REAL(name)(path, visit, descriptors, flags);                          \
  }
NFTW(nftw, __nftw_func_t)
NFTW(nftw64, __nftw64_func_t)

#define FTS_OPEN(name, type, entry)                                                                        \
  TRACE_HOOK(name);                                                                                        \
  TRACE_EXPORT type* name(char* const* paths, int options, int (*compare)(const entry**, const entry**)) { \
    trace_unknown(#name, paths[0] != NULL ? paths[0] : "");                                                \
    return TRACE_REAL(name)(paths, options, compare);                                                      \
  }
FTS_OPEN(fts_open, FTS, FTSENT)
FTS_OPEN(fts64_open, FTS64, FTSENT64)

/* The working directory is recorded as the real path of ".". */
static void saw_working_directory(const char* path) {
  trace_saw(TRACE_REAL_PATH, ".", path != NULL, path != NULL ? trace_seen_text(path, strlen(path)) : 0);
}

TRACE_HOOK(getcwd);
TRACE_EXPORT char* getcwd(char* buffer, size_t size) {
  char* path = TRACE_REAL(getcwd)(buffer, size);
  saw_working_directory(path);
  return path;
}

TRACE_HOOK(__getcwd_chk);
TRACE_EXPORT char* __getcwd_chk(char* buffer, size_t size, size_t room) {
  char* path = TRACE_REAL(__getcwd_chk)(buffer, size, room);
  saw_working_directory(path);
  return path;
}

/* get_current_dir_name returns PWD if PWD names the working directory. */
TRACE_HOOK(get_current_dir_name);
TRACE_EXPORT char* get_current_dir_name(void) {
  char* path = TRACE_REAL(get_current_dir_name)();
  trace_emit(TRACE_VARIABLE, trace_environment("PWD") != NULL, "PWD");
  trace_path(TRACE_REAL_PATH, ".", path != NULL);
  return path;
}

/* The directory in which the process is. */
struct here {
  dev_t device;
  ino_t inode;
};

static struct here here(void) {
  struct here place = {0, 0};
  struct stat status;
  const int saved = errno;
  if (trace_active() && trace_call(SYS_newfstatat, AT_FDCWD, ".", &status, 0) == 0) {
    place.device = status.st_dev;
    place.inode = status.st_ino;
  }
  errno = saved;
  return place;
}

static bool is_here(struct here before) {
  const struct here now = here();
  return now.inode != 0 && now.device == before.device && now.inode == before.inode;
}

/* Relative paths in the trace are relative to the directory in which the process started. Make, which gcc starts for
 * -flto=auto, and scripts enter the directory in which they are. */
TRACE_HOOK(chdir);
TRACE_EXPORT int chdir(const char* path) {
  const struct here before = here();
  const int result = TRACE_REAL(chdir)(path);
  if (result != 0) return result;
  if (is_here(before)) {
    trace_path(TRACE_REAL_PATH, path, true);
  } else {
    trace_unknown("chdir", path);
  }
  return result;
}

TRACE_HOOK(fchdir);
TRACE_EXPORT int fchdir(int fd) {
  const struct here before = here();
  const int result = TRACE_REAL(fchdir)(fd);
  if (result == 0 && !is_here(before)) trace_unknown("fchdir", "");
  return result;
}

TRACE_HOOK(chroot);
TRACE_EXPORT int chroot(const char* path) {
  const int result = TRACE_REAL(chroot)(path);
  if (result == 0) trace_unknown("chroot", path);
  if (result == 0) trace_leave();
  return result;
}
