/* Records, and the descriptor that they are appended to. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"
#include "trace/seen_digest.h"

enum { HEADER_SIZE = 16, HIGH_DESCRIPTOR = 800 };
enum { RECORD_SLOTS = 8192, RECORD_PROBES = 16 };
enum state { STATE_NEW, STATE_STARTING, STATE_ACTIVE, STATE_INERT, STATE_BROKEN };

static _Atomic int state = STATE_NEW;
static char file_name[TRACE_TEXT_LIMIT + 1];
static dev_t file_device;
static ino_t file_inode;
static _Atomic int descriptor = -1;
static _Atomic uint64_t written_before[RECORD_SLOTS];

char* trace_environment(const char* name) {
  const size_t length = strlen(name);
  for (char** entry = environ; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  }
  return NULL;
}

/* Prefers a high descriptor, because some programs rely on getting the lowest ones. */
static int open_file(void) {
  const int fd = (int)trace_call(SYS_openat, AT_FDCWD, file_name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  const int high = (int)trace_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
  if (high < 0) return fd;
  trace_call(SYS_close, fd);
  return high;
}

/* Uses the empty path: libc's headers have no type for the kernel's structure stat, only for statx. */
static bool identify(int fd, struct statx* identity) {
  return fd >= 0 && trace_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO, identity) == 0;
}

static dev_t device_of(const struct statx* identity) {
  return ((dev_t)identity->stx_dev_major << 32) | identity->stx_dev_minor;
}

static bool is_our_file(int fd) {
  struct statx identity;
  return identify(fd, &identity) && device_of(&identity) == file_device && identity.stx_ino == file_inode;
}

static int start(void) {
  const char* name = trace_environment("HIPCACHE_TRACE");
  if (name == NULL || name[0] != '/' || strlen(name) > TRACE_TEXT_LIMIT) return STATE_INERT;
  memcpy(file_name, name, strlen(name) + 1);
  const int fd = open_file();
  struct statx identity;
  if (!identify(fd, &identity)) return STATE_BROKEN;
  file_device = device_of(&identity);
  file_inode = identity.stx_ino;
  atomic_store(&descriptor, fd);
  return STATE_ACTIVE;
}

bool trace_active(void) {
  int now = atomic_load_explicit(&state, memory_order_acquire);
  if (now == STATE_NEW && environ != NULL && atomic_compare_exchange_strong(&state, &now, STATE_STARTING)) {
    const int saved = errno;
    now = start();
    errno = saved;
    atomic_store_explicit(&state, now, memory_order_release);
  }
  while (now == STATE_STARTING) now = atomic_load_explicit(&state, memory_order_acquire);
  return now == STATE_ACTIVE;
}

const char* trace_file(void) { return file_name; }

/* The program may have closed the library's descriptor, or opened its own file there. Never writes to such a file. */
static int checked_descriptor(void) {
  int fd = atomic_load(&descriptor);
  if (is_our_file(fd)) return fd;
  const int fresh = open_file();
  if (!is_our_file(fresh)) {
    if (fresh >= 0) trace_call(SYS_close, fresh);
    return -1;
  }
  if (atomic_compare_exchange_strong(&descriptor, &fd, fresh)) return fresh;
  trace_call(SYS_close, fresh);
  return fd;
}

static void append(const unsigned char* record, size_t size) {
  long written;
  do {
    written = trace_call(SYS_write, checked_descriptor(), record, size);
  } while (written < 0 && errno == EINTR);
  if (written != (long)size) atomic_store(&state, STATE_BROKEN);
}

/* True for a new record. Two of a process's thousands of records collide, and lose an observation, with probability
 * 2^-40. If the table is full at that place, the record counts as new and may be written again, which does no harm. */
static bool remember(uint64_t value) {
  for (unsigned probe = 0; probe < RECORD_PROBES; ++probe) {
    _Atomic uint64_t* slot = &written_before[((value >> 32) + probe) % RECORD_SLOTS];
    uint64_t present = atomic_load_explicit(slot, memory_order_relaxed);
    if (present == 0 && atomic_compare_exchange_strong(slot, &present, value)) return true;
    if (present == value) return false;
  }
  return true;
}

static void put(unsigned char* bytes, unsigned count, uint64_t value) {
  for (unsigned byte = 0; byte < count; ++byte) bytes[byte] = (unsigned char)(value >> (8 * byte));
}

static void emit(enum trace_kind kind, bool found, uint64_t seen, const char* text, size_t length) {
  unsigned char record[HEADER_SIZE + TRACE_TEXT_LIMIT] = {(unsigned char)kind, found};
  put(record + 4, 4, length);
  put(record + 8, 8, seen);
  memcpy(record + HEADER_SIZE, text, length);
  const bool is_counted = kind == TRACE_EXECUTE; /* the reader compares the numbers of starts and of programs */
  if (is_counted || remember(trace_digest(record, HEADER_SIZE + length))) append(record, HEADER_SIZE + length);
}

void trace_emit_seen(enum trace_kind kind, bool found, uint64_t seen, const char* text) {
  if (!trace_active()) return;
  const int saved = errno;
  const size_t length = strnlen(text, TRACE_TEXT_LIMIT + 1);
  if (length <= TRACE_TEXT_LIMIT) {
    emit(kind, found, seen, text, length);
  } else {
    trace_unknown("text too long", text);
  }
  errno = saved;
}

void trace_emit(enum trace_kind kind, bool found, const char* text) { trace_emit_seen(kind, found, 0, text); }

void trace_unknown(const char* call, const char* detail) {
  if (!trace_active()) return;
  const int saved = errno;
  char text[256];
  const size_t call_length = strnlen(call, 64);
  const size_t detail_length = strnlen(detail, sizeof text - 64 - 2);
  memcpy(text, call, call_length);
  memcpy(text + call_length, ": ", 2);
  memcpy(text + call_length + 2, detail, detail_length);
  emit(TRACE_UNKNOWN, false, 0, text, call_length + 2 + detail_length);
  errno = saved;
}

/* The records written before still count as written. REQUIRES: the caller has copied them to the new file. */
bool trace_restart(void) {
  const int old = atomic_exchange(&descriptor, -1);
  if (old >= 0) trace_call(SYS_close, old);
  atomic_store(&state, STATE_NEW);
  return trace_active();
}
