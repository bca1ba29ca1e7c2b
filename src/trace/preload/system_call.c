/* System calls that a program makes by `syscall`, as jemalloc does when it starts. Those that open a file, look at one
 * or read a link are recorded as libc's functions are. Others that take a path or lead around the hooks are unknown.
 * The rest (thread ids, futexes, random bytes) gives no inputs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"

/* Each is unknown under its name. On some processors the older ones do not exist. */
static const char* name_of_unknown(long number) {
#define UNKNOWN(name) \
  case SYS_##name:    \
    return #name;
  switch (number) {
#ifdef SYS_open
    UNKNOWN(chmod)
    UNKNOWN(chown)
    UNKNOWN(creat)
    UNKNOWN(fork)
    UNKNOWN(getdents)
    UNKNOWN(lchown)
    UNKNOWN(link)
    UNKNOWN(mkdir)
    UNKNOWN(mknod)
    UNKNOWN(rename)
    UNKNOWN(rmdir)
    UNKNOWN(symlink)
    UNKNOWN(unlink)
    UNKNOWN(utime)
    UNKNOWN(utimes)
    UNKNOWN(vfork)
#endif
    UNKNOWN(chdir)
    UNKNOWN(chroot)
    UNKNOWN(connect)
    UNKNOWN(execve)
    UNKNOWN(execveat)
    UNKNOWN(fanotify_mark)
    UNKNOWN(fchdir)
    UNKNOWN(fchmodat)
    UNKNOWN(fchownat)
    UNKNOWN(getdents64)
    UNKNOWN(getxattr)
    UNKNOWN(inotify_add_watch)
    UNKNOWN(io_uring_enter)
    UNKNOWN(io_uring_setup)
    UNKNOWN(lgetxattr)
    UNKNOWN(linkat)
    UNKNOWN(listxattr)
    UNKNOWN(mkdirat)
    UNKNOWN(mknodat)
    UNKNOWN(mount)
    UNKNOWN(name_to_handle_at)
    UNKNOWN(open_by_handle_at)
    UNKNOWN(open_tree)
    UNKNOWN(openat2)
    UNKNOWN(pivot_root)
    UNKNOWN(process_vm_readv)
    UNKNOWN(ptrace)
    UNKNOWN(renameat)
    UNKNOWN(renameat2)
    UNKNOWN(setns)
    UNKNOWN(symlinkat)
    UNKNOWN(truncate)
    UNKNOWN(umount2)
    UNKNOWN(uname)
    UNKNOWN(unlinkat)
    UNKNOWN(unshare)
    UNKNOWN(utimensat)
    default:
      return NULL;
  }
#undef UNKNOWN
}

static long record_open(long number, int directory, const char* path, int flags, const long values[6]) {
  const bool existed = trace_existed(directory, path, flags);
  const long fd = trace_call(number, values[0], values[1], values[2], values[3]);
  trace_open("syscall open", directory, path, flags, existed, fd >= 0, trace_seen_descriptor((int)fd));
  return fd;
}

/* `status`: what the call fills, in the kernel's form, which on these processors is libc's. NULL if it fills none. */
static long record_look(long number, int directory, const char* path, const struct stat* status, const long values[6]) {
  const long result = trace_call(number, values[0], values[1], values[2], values[3], values[4]);
  uint64_t seen = 0;
  if (result == 0 && status != NULL)
    seen = trace_seen_entry(status->st_dev, status->st_ino, status->st_mode, status->st_size);
  trace_saw_at("syscall stat", TRACE_LOOK, directory, path, result == 0, seen);
  return result;
}

static long record_link(long number, int directory, const char* path, const char* buffer, size_t size,
                        const long values[6]) {
  const long length = trace_call(number, values[0], values[1], values[2], values[3]);
  const bool is_whole = length >= 0 && (size_t)length < size;
  trace_saw_at("syscall readlink", TRACE_LINK, directory, path, length >= 0,
               is_whole ? trace_seen_text(buffer, (size_t)length) : 0);
  return length;
}

#define PATH(index) ((const char*)values[index])
#define STATUS(index) ((const struct stat*)values[index])

/* NOLINTBEGIN(performance-no-int-to-ptr): so `syscall` takes them */
static long record(long number, const long values[6]) {
  switch (number) {
#ifdef SYS_open
    case SYS_open:
      return record_open(number, AT_FDCWD, PATH(0), (int)values[1], values);
    case SYS_stat:
    case SYS_lstat:
      return record_look(number, AT_FDCWD, PATH(0), STATUS(1), values);
    case SYS_access:
      return record_look(number, AT_FDCWD, PATH(0), NULL, values);
    case SYS_readlink:
      return record_link(number, AT_FDCWD, PATH(0), PATH(1), (size_t)values[2], values);
#endif
    case SYS_openat:
      return record_open(number, (int)values[0], PATH(1), (int)values[2], values);
    case SYS_newfstatat:
      return record_look(number, (int)values[0], PATH(1), STATUS(2), values);
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2:
      return record_look(number, (int)values[0], PATH(1), NULL, values);
    case SYS_statfs:
      return record_look(number, AT_FDCWD, PATH(0), NULL, values);
    case SYS_readlinkat:
      return record_link(number, (int)values[0], PATH(1), PATH(2), (size_t)values[3], values);
    default:
      return trace_call(number, values[0], values[1], values[2], values[3], values[4], values[5]);
  }
}

/* NOLINTEND(performance-no-int-to-ptr) */

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
  const char* unknown = name_of_unknown(number);
  if (unknown != NULL) trace_unknown("syscall", unknown);
  return record(number, values);
}
