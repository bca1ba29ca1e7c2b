/* Calls whose inputs no record can describe. They are recorded as unknown, so the run is not recorded. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"

#define REFUSE(type, name, detail, parameters, arguments) \
  TRACE_HOOK(name);                                       \
  TRACE_EXPORT type name parameters {                     \
    trace_unknown(#name, detail);                         \
    return TRACE_REAL(name) arguments;                    \
  }
REFUSE(int, name_to_handle_at, path,
       (int directory, const char* path, struct file_handle* handle, int* mount, int flags),
       (directory, path, handle, mount, flags))
REFUSE(int, open_by_handle_at, "a handle", (int mount, struct file_handle* handle, int flags), (mount, handle, flags))
REFUSE(int, inotify_add_watch, path, (int fd, const char* path, uint32_t mask), (fd, path, mask))
REFUSE(int, fanotify_mark, path != NULL ? path : "",
       (int fd, unsigned flags, uint64_t mask, int directory, const char* path), (fd, flags, mask, directory, path))
REFUSE(int, shm_open, path, (const char* path, int flags, mode_t mode), (path, flags, mode))
REFUSE(char*, getlogin, "", (void), ())
REFUSE(int, getlogin_r, "", (char* name, size_t size), (name, size))
REFUSE(long, gethostid, "", (void), ())

/* libc opens these connections itself. */
#define NETWORK(type, name, parameters, arguments)         \
  TRACE_HOOK(name);                                        \
  TRACE_EXPORT type name parameters {                      \
    trace_emit(TRACE_NETWORK, true, "the name of a host"); \
    return TRACE_REAL(name) arguments;                     \
  }
NETWORK(int, getaddrinfo,
        (const char* host, const char* service, const struct addrinfo* hints, struct addrinfo** found),
        (host, service, hints, found))
NETWORK(struct hostent*, gethostbyname, (const char* host), (host))

#ifdef TRACE_HAS_CALL
/* System calls that look at or open files, made without libc's functions. Other calls (thread ids, futexes, random
 * bytes) give no inputs. */
static bool gives_inputs(long number) {
  switch (number) {
#ifdef SYS_open
    case SYS_open:
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_readlink:
    case SYS_getdents:
    case SYS_chdir:
#endif
    case SYS_openat:
    case SYS_openat2:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_readlinkat:
    case SYS_getdents64:
    case SYS_execve:
    case SYS_execveat:
    case SYS_connect:
    case SYS_fchdir:
    case SYS_open_by_handle_at:
    case SYS_open_tree:
    case SYS_io_uring_setup:
    case SYS_io_uring_enter:
    case SYS_ptrace:
    case SYS_process_vm_readv:
      return true;
    default:
      return false;
  }
}

/* Through an io_uring, a process could open files that no hook sees. IREE's compiler sets one up for the runtime that
 * evaluates constants. It must do without, as in a container that forbids these calls, and goes on with eventfd. Other
 * programs get the ring, and their run proves nothing. */
static bool must_do_without(long number) {
  return number == SYS_io_uring_setup && strncmp(program_invocation_short_name, "iree-", 5) == 0 && trace_active();
}

TRACE_EXPORT long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long values[6];
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) values[i] = va_arg(arguments, long);
  va_end(arguments);
  if (must_do_without(number)) {
    errno = ENOSYS;
    return -1;
  }
  if (gives_inputs(number)) trace_unknown("syscall", "a call that looks or opens");
  return trace_call(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
#endif
