/* What a call gave: the path behind a descriptor, and digests of which file, in which state, or where a link led. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "trace/file_system_times.h"
#include "trace/preload/call.h"
#include "trace/preload/internal.h"
#include "trace/seen_digest.h"

enum { WANTED = STATX_TYPE | STATX_INO | STATX_SIZE | STATX_MTIME | STATX_CTIME };
enum { MILLISECOND = 1000000, SECOND = 1000000000 };

static struct trace_identity identity_of_file(const struct statx* status) {
  struct trace_identity identity = {
      .device_major = status->stx_dev_major, .device_minor = status->stx_dev_minor, .inode = status->stx_ino};
  if (S_ISREG(status->stx_mode)) {
    identity.size = status->stx_size;
    identity.changed_seconds = status->stx_ctime.tv_sec;
    identity.changed_nanoseconds = status->stx_ctime.tv_nsec;
    identity.modified_seconds = status->stx_mtime.tv_sec;
    identity.modified_nanoseconds = status->stx_mtime.tv_nsec;
  }
  return identity;
}

static uint64_t digest_of_file(const struct statx* status) {
  const struct trace_identity identity = identity_of_file(status);
  return trace_digest_identity(&identity);
}

/* Uses statx, because libc's headers have no type for the kernel's structure stat. */
static bool ask(int directory, const char* path, int flags, struct statx* status) {
  const int saved = errno;
  const bool known = trace_call(SYS_statx, directory, path, flags, WANTED, status) == 0;
  errno = saved;
  return known && (status->stx_mask & WANTED) == WANTED;
}

/* The clock that stamps files. Uses a system call, because another preloaded library may replace libc's function. */
static int64_t file_clock(void) {
  struct timespec now = {0, 0};
  const int saved = errno;
  const bool known = trace_call(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &now) == 0;
  errno = saved;
  return known ? now.tv_sec * (int64_t)SECOND + now.tv_nsec : 0;
}

/* The last moment at which a change may get this time. A time of whole milliseconds may come from a file system without
 * finer times; the coarsest one counts in steps of two seconds. */
static int64_t last_moment_of(const struct statx_timestamp* time) {
  if (time->tv_nsec % MILLISECOND == 0) return (time->tv_sec + 2) * (int64_t)SECOND - 1;
  return time->tv_sec * (int64_t)SECOND + time->tv_nsec;
}

/* Whether every later change will give the file another ctime. Reads the clock only if the file may have changed since
 * the clock was last read. */
static bool changes_show(const struct statx* status) {
  static _Atomic int64_t read_before = 0;
  const int64_t last = last_moment_of(&status->stx_ctime);
  if (last < atomic_load_explicit(&read_before, memory_order_relaxed)) return true;
  const int64_t now = file_clock();
  atomic_store_explicit(&read_before, now, memory_order_relaxed);
  return last < now;
}

bool trace_path_of(int fd, char path[TRACE_TEXT_LIMIT + 1]) {
  char link[32] = "/proc/self/fd/";
  size_t end = strlen(link);
  char digits[12];
  size_t count = 0;
  for (unsigned rest = fd < 0 ? 0U : (unsigned)fd; count == 0 || rest != 0; rest /= 10) {
    digits[count++] = (char)('0' + rest % 10);
  }
  while (count > 0) link[end++] = digits[--count];
  link[end] = '\0';
  const int saved = errno;
  const long length = trace_call(SYS_readlinkat, AT_FDCWD, link, path, (size_t)TRACE_TEXT_LIMIT);
  errno = saved;
  if (length <= 0 || path[0] != '/') return false;
  path[length] = '\0';
  return true;
}

/* The compile's temporary files lie beside the trace. They are no inputs. */
static bool lies_beside_trace(int fd) {
  char path[TRACE_TEXT_LIMIT + 1];
  const char* trace = trace_environment("HIPCACHE_TRACE");
  const char* name = trace == NULL ? NULL : strrchr(trace, '/');
  return name != NULL && trace_path_of(fd, path) && strncmp(path, trace, (size_t)(name - trace) + 1) == 0;
}

static bool is_input(int fd) {
  const int saved = errno;
  const long flags = trace_call(SYS_fcntl, fd, F_GETFL);
  const bool reads = flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && !lies_beside_trace(fd);
  errno = saved;
  return reads;
}

/* For a file that was written just before the process opened it, as by a generator in a build. Waits some milliseconds
 * for the tick to end; after that, all changes show. Waits once per process: files that were written before show later
 * changes by then as well. */
static void await_next_tick(const struct statx* status) {
  enum { LONGEST_TICK = 10 * MILLISECOND, PAUSE = MILLISECOND / 4 };
  static atomic_flag has_waited = ATOMIC_FLAG_INIT;
  const int64_t last = last_moment_of(&status->stx_ctime);
  if (last - file_clock() > LONGEST_TICK || atomic_flag_test_and_set(&has_waited)) return;
  const int saved = errno;
  const struct timespec pause = {0, PAUSE};
  for (int times = 0; times < LONGEST_TICK / PAUSE && file_clock() <= last; ++times)
    trace_call(SYS_nanosleep, &pause, NULL);
  errno = saved;
}

enum file_system { PROVES_NOTHING, PROVES, PROVES_FINELY };

static enum file_system ask_file_system(int fd) {
  struct statfs system;
  struct utsname kernel;
  if (trace_call(SYS_fstatfs, fd, &system) != 0) return PROVES_NOTHING;
  const unsigned long type = (unsigned long)system.f_type;
  if (trace_times_of(type) == TRACE_TIMES_PROVE_NOTHING) return PROVES_NOTHING;
  return trace_call(SYS_uname, &kernel) == 0 && trace_times_are_fine(type, kernel.release) ? PROVES_FINELY : PROVES;
}

/* Asks once for each device, as long as files of one device are opened. */
static enum file_system file_system_of(int fd, const struct statx* status) {
  static _Atomic uint64_t last = 0; /* a device and its kind */
  const uint64_t device = makedev(status->stx_dev_major, status->stx_dev_minor) << 2;
  const uint64_t known = atomic_load_explicit(&last, memory_order_relaxed);
  if (known != 0 && known >> 2 << 2 == device) return (enum file_system)(known & 3);
  const enum file_system kind = ask_file_system(fd);
  atomic_store_explicit(&last, device | kind, memory_order_relaxed);
  return kind;
}

/* Looking at the ctime makes the next change take another one. A time of whole milliseconds may still be coarse. */
static bool is_fine(enum file_system kind, const struct statx* status) {
  return kind == PROVES_FINELY && status->stx_ctime.tv_nsec % MILLISECOND != 0;
}

/* TRACE_NO_CONTENT if it cannot be read, which no content that is not empty has. Leaves the file's offset. */
static uint64_t digest_from(uint64_t value, int fd) {
  char buffer[1 << 14];
  for (off_t offset = 0;;) {
    const long got = trace_call(SYS_pread64, fd, buffer, sizeof buffer, offset);
    if (got < 0) return TRACE_NO_CONTENT;
    if (got == 0) return value;
    value = trace_digest_more(value, buffer, (size_t)got);
    offset += got;
  }
}

static uint64_t digest_of_content(int fd) { return digest_from(TRACE_NO_CONTENT, fd); }

/* Of a file whose change may show in its content alone. */
static uint64_t digest_with_content(int fd, const struct statx* status) {
  const int saved = errno;
  struct trace_identity identity = identity_of_file(status);
  identity.content = digest_of_content(fd);
  errno = saved;
  return trace_digest_identity(&identity);
}

/* Whether the trace is to be compared with another machine, where no file has a stamp of this one's. */
static bool has_contents(void) {
  static atomic_int known = 0; /* 1: no, 2: yes */
  if (atomic_load_explicit(&known, memory_order_relaxed) == 0)
    atomic_store_explicit(&known, trace_environment("HIPCACHE_TRACE_CONTENTS") == NULL ? 1 : 2, memory_order_relaxed);
  return atomic_load_explicit(&known, memory_order_relaxed) == 2;
}

/* By the path without links: what the program typed is in the record of its call. */
static void record_content(int fd) {
  char path[TRACE_TEXT_LIMIT + 1];
  if (trace_path_of(fd, path)) trace_emit_seen(TRACE_CONTENT, true, digest_of_content(fd), path);
}

/* As content_of_program in src/trace/seen.cpp. */
static uint64_t digest_of_program(int fd, int64_t size) {
  char bytes[TRACE_END_SIZE];
  const uint64_t sized = trace_digest_more(TRACE_NO_CONTENT, &size, sizeof size);
  long got = trace_call(SYS_pread64, fd, bytes, sizeof bytes, 0);
  if (got < 0) return TRACE_NO_CONTENT;
  if (!trace_has_build_id(bytes, (size_t)got)) return digest_from(sized, fd);
  const uint64_t begun = trace_digest_more(sized, bytes, (size_t)got);
  got = trace_call(SYS_pread64, fd, bytes, sizeof bytes, size > TRACE_END_SIZE ? size - TRACE_END_SIZE : 0);
  return got < 0 ? TRACE_NO_CONTENT : trace_digest_more(begun, bytes, (size_t)got);
}

void trace_program_content(const char* path) {
  if (!trace_active() || !has_contents()) return;
  const int saved = errno;
  struct statx status;
  const int fd = (int)trace_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd >= 0 && ask(fd, "", AT_EMPTY_PATH, &status))
    trace_emit_seen(TRACE_CONTENT, false, digest_of_program(fd, (int64_t)status.stx_size), path);
  if (fd >= 0) trace_call(SYS_close, fd);
  errno = saved;
}

uint64_t trace_seen_descriptor(int fd) {
  struct statx status;
  if (fd < 0 || !trace_active() || !ask(fd, "", AT_EMPTY_PATH, &status)) return 0;
  if (!S_ISREG(status.stx_mode)) return digest_of_file(&status);
  if (has_contents()) {
    if (is_input(fd)) record_content(fd);
    return digest_of_file(&status);
  }
  const enum file_system kind = file_system_of(fd, &status);
  if (kind == PROVES_NOTHING && is_input(fd)) return digest_with_content(fd, &status);
  if (is_fine(kind, &status) || changes_show(&status)) return digest_of_file(&status);
  if (is_input(fd)) {
    await_next_tick(&status);
    if (!ask(fd, "", AT_EMPTY_PATH, &status)) return 0;
  }
  return digest_of_file(&status) | (changes_show(&status) ? 0 : TRACE_MAY_CHANGE_UNSEEN);
}

uint64_t trace_seen_path(const char* path) {
  struct statx status;
  return trace_active() && ask(AT_FDCWD, path, 0, &status) ? digest_of_file(&status) : 0;
}

uint64_t trace_seen_entry(uint64_t device, uint64_t inode, uint32_t mode, int64_t size) {
  if (!trace_active()) return 0;
  const struct trace_identity identity = {.device_major = major(device),
                                          .device_minor = minor(device),
                                          .inode = inode,
                                          .size = S_ISREG(mode) && size > 0 ? 1 : 0};
  const uint64_t digest = trace_digest_identity(&identity);
  return has_contents() ? (digest & ~(uint64_t)TRACE_ENTRY_MASK) | trace_entry_of(mode, size) : digest;
}

uint64_t trace_seen_text(const char* text, size_t length) { return trace_active() ? trace_digest(text, length) : 0; }
