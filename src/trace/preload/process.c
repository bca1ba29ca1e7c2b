/* Other programs, and other machines: exec, spawn, shells, connections. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "trace/preload/child_environment.h"
#include "trace/preload/internal.h"

/* A successful exec never returns, so the record must be written before it. In the process that wrote `program`, so
 * must `end`. If exec fails after all, the program goes on and its end is already recorded. */
static void before_exec(const char* path) {
  if (!trace_active() || !trace_is_executable(AT_FDCWD, path)) return;
  trace_emit(TRACE_EXECUTE, true, path);
  trace_end();
}

/* Records one candidate of a search; true if the program is there. */
static bool record_candidate(const char* directory, size_t length, const char* name) {
  char path[TRACE_TEXT_LIMIT + 1];
  const size_t name_length = strlen(name);
  if (length + name_length + 2 > sizeof path) {
    trace_unknown("a search on PATH", name);
    return false;
  }
  memcpy(path, directory, length);
  if (length > 0) path[length++] = '/';
  memcpy(path + length, name, name_length + 1);
  const bool found = trace_is_executable(AT_FDCWD, path);
  trace_emit(TRACE_LOOK, found, path);
  if (found) before_exec(path);
  return found;
}

/* libc searches with an internal execve, which no hook sees. */
static void record_search(const char* name) {
  const char* directory = trace_environment("PATH");
  if (directory == NULL) directory = "/bin:/usr/bin";
  while (true) {
    const size_t length = strcspn(directory, ":");
    if (record_candidate(directory, length, name) || directory[length] == '\0') return;
    directory += length + 1;
  }
}

static void before_search(const char* name) {
  if (!trace_active()) return;
  if (strchr(name, '/') == NULL) {
    record_search(name);
  } else {
    before_exec(name);
  }
}

static int after_exec(const char* path) {
  trace_path(TRACE_EXECUTE, path, false);
  return -1;
}

TRACE_HOOK(execve);
TRACE_EXPORT int execve(const char* path, char* const argv[], char* const environment[]) {
  trace_exec_in_front(path, argv, environment);
  before_exec(path);
  TRACE_GIVE(given, environment);
  TRACE_REAL(execve)(path, argv, given);
  return after_exec(path);
}

TRACE_HOOK(execvpe);
TRACE_EXPORT int execvpe(const char* path, char* const argv[], char* const environment[]) {
  trace_exec_in_front(path, argv, environment);
  before_search(path);
  TRACE_GIVE(given, environment);
  TRACE_REAL(execvpe)(path, argv, given);
  return after_exec(path);
}

TRACE_HOOK(execv);
TRACE_EXPORT int execv(const char* path, char* const argv[]) {
  trace_exec_in_front(path, argv, environ);
  before_exec(path);
  TRACE_GIVE(given, environ);
  if (given == environ) {
    TRACE_REAL(execv)(path, argv);
  } else {
    TRACE_REAL(execve)(path, argv, given);
  }
  return after_exec(path);
}

TRACE_HOOK(execvp);
TRACE_EXPORT int execvp(const char* path, char* const argv[]) {
  trace_exec_in_front(path, argv, environ);
  before_search(path);
  TRACE_GIVE(given, environ);
  if (given == environ) {
    TRACE_REAL(execvp)(path, argv);
  } else {
    TRACE_REAL(execvpe)(path, argv, given);
  }
  return after_exec(path);
}

/* libc's variadic forms call an internal execve, so the hooks call the forms with an array instead. */
static size_t count_arguments(const char* first, va_list arguments) {
  size_t count = 0;
  for (const char* argument = first; argument != NULL; argument = va_arg(arguments, char*)) ++count;
  return count;
}

/* `last` runs after the arguments and their null: execle has the environment there. */
#define EXEC_IN_LINE(name, last, run)                                       \
  TRACE_EXPORT int name(const char* path, const char* first, ...) {         \
    va_list arguments;                                                      \
    va_start(arguments, first);                                             \
    const size_t count = count_arguments(first, arguments);                 \
    va_end(arguments);                                                      \
    char* argv[count + 1];                                                  \
    argv[0] = (char*)first;                                                 \
    va_start(arguments, first);                                             \
    for (size_t i = 1; i <= count; ++i) argv[i] = va_arg(arguments, char*); \
    last;                                                                   \
    va_end(arguments);                                                      \
    return run;                                                             \
  }
EXEC_IN_LINE(execl, (void)0, execv(path, argv))
EXEC_IN_LINE(execlp, (void)0, execvp(path, argv))
EXEC_IN_LINE(execle, char* const* environment = va_arg(arguments, char* const*), execve(path, argv, environment))

TRACE_HOOK(fexecve);
TRACE_EXPORT int fexecve(int fd, char* const argv[], char* const environment[]) {
  char path[TRACE_TEXT_LIMIT + 1];
  if (trace_active() && trace_path_of(fd, path)) {
    before_exec(path);
  } else {
    trace_unknown("fexecve", "a program without a path");
  }
  TRACE_GIVE(given, environment);
  return TRACE_REAL(fexecve)(fd, argv, given);
}

TRACE_HOOK(execveat);
TRACE_EXPORT int execveat(int directory, const char* path, char* const argv[], char* const environment[], int flags) {
  if (directory == AT_FDCWD || path[0] == '/') {
    before_exec(path);
  } else {
    trace_unknown("execveat", path);
  }
  TRACE_GIVE(given, environment);
  return TRACE_REAL(execveat)(directory, path, argv, given, flags);
}

TRACE_HOOK(posix_spawn);
TRACE_EXPORT int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  if (trace_spawn_in_front(child, path, actions, attributes, argv, environment)) return 0;
  const bool is_plain = actions == NULL && attributes == NULL && environment == environ;
  if (is_plain && trace_active() && trace_answer(child, path, argv)) return 0;
  TRACE_GIVE(given, environment);
  const int error = TRACE_REAL(posix_spawn)(child, path, actions, attributes, argv, given);
  trace_path_error(TRACE_EXECUTE, path, error);
  return error;
}

TRACE_HOOK(posix_spawnp);
TRACE_EXPORT int posix_spawnp(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  if (trace_spawn_in_front(child, path, actions, attributes, argv, environment)) return 0;
  before_search(path);
  TRACE_GIVE(given, environment);
  const int error = TRACE_REAL(posix_spawnp)(child, path, actions, attributes, argv, given);
  if (error != 0) trace_path_error(TRACE_EXECUTE, path, error);
  return error;
}

/* libc opens the file in the child. Whether that will succeed is judged by what is there now. */
TRACE_HOOK(posix_spawn_file_actions_addopen);
TRACE_EXPORT int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t* actions, int fd, const char* path,
                                                  int flags, mode_t mode) {
  const bool existed = trace_existed(AT_FDCWD, path, O_CREAT);
  const int saved = errno;
  errno = ENOENT;
  trace_open("posix_spawn", AT_FDCWD, path, flags, existed, existed || (flags & O_CREAT) != 0, 0);
  errno = saved;
  return TRACE_REAL(posix_spawn_file_actions_addopen)(actions, fd, path, flags, mode);
}

TRACE_HOOK(posix_spawn_file_actions_addchdir_np);
TRACE_EXPORT int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t* actions, const char* path) {
  trace_unknown("posix_spawn in a directory", path);
  return TRACE_REAL(posix_spawn_file_actions_addchdir_np)(actions, path);
}

TRACE_HOOK(system);
TRACE_EXPORT int system(const char* command) {
  if (command != NULL) trace_emit(TRACE_EXECUTE, true, "/bin/sh");
  return TRACE_REAL(system)(command);
}

TRACE_HOOK(popen);
TRACE_EXPORT FILE* popen(const char* command, const char* mode) {
  trace_emit(TRACE_EXECUTE, true, "/bin/sh");
  return TRACE_REAL(popen)(command, mode);
}

static void record_connection(const struct sockaddr* address, socklen_t length) {
  enum { PATH_START = offsetof(struct sockaddr_un, sun_path) };
  char path[sizeof(struct sockaddr_un) - PATH_START + 1] = "";
  if (address == NULL || length < sizeof address->sa_family) return;
  if (address->sa_family != AF_UNIX) {
    trace_emit(TRACE_NETWORK, true, "a network address");
    return;
  }
  if (length > PATH_START && length <= sizeof(struct sockaddr_un)) {
    memcpy(path, (const char*)address + PATH_START, length - PATH_START);
  }
  trace_emit(TRACE_NETWORK, true, path);
}

/* In libc's headers the parameter is a union of pointers to all address types. */
TRACE_HOOK(connect);
TRACE_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length) {
  record_connection(address.__sockaddr__, length);
  return TRACE_REAL(connect)(fd, address, length);
}

/* Looked up early: between fork and exec, a thread that no longer exists may hold the loader's lock. */
__attribute__((constructor)) static void look_up_early(void) {
  (void)TRACE_REAL(execve);
  (void)TRACE_REAL(execv);
  (void)TRACE_REAL(execvp);
  (void)TRACE_REAL(execvpe);
}
