/* The driver that a wrapper executes: records how the driver was started, and makes it print its jobs instead of
 * running them.
 *
 * The problem: hipcache needs the compiler's jobs from a wrapper, but a wrapper that is given "-###" may do something
 * else than without it. The choice: run the wrapper with the user's words alone. The driver that it executes adds the
 * words that make it print its jobs, here, before its `main`. Rejected: giving the words to the wrapper. It sees them,
 * and where it puts its own words then does not show where it puts them otherwise. Rejected: a whole compile first, for
 * each command. A cache must not cost that.
 *
 *   driver     written beside the trace by hipcache: path of the driver, then the words to add; each ends in 0
 *   driver.N   written by each program that starts, N from 0 in their order; fields that end in 0: the program's
 *              path, its parent, umask, directory, the number of its words, the words, its variables, an empty
 *              field
 *
 * Without the first file, none of this happens. If writing fails, a driver.N is missing or truncated. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"

enum { WRITE_LIMIT = 16 * 1024, PROGRAM_LIMIT = 64 };

static bool in_directory_of_trace(char path[TRACE_TEXT_LIMIT + 1], const char* name) {
  const char* trace = trace_environment("HIPCACHE_TRACE");
  const char* slash = trace == NULL ? NULL : strrchr(trace, '/');
  if (slash == NULL || (size_t)(slash - trace) + 1 + strlen(name) > TRACE_TEXT_LIMIT) return false;
  memcpy(path, trace, (size_t)(slash - trace) + 1);
  strcpy(path + (slash - trace) + 1, name);
  return true;
}

struct output {
  int fd;
  bool failed;
  size_t used;
  char bytes[WRITE_LIMIT];
};

static void flush(struct output* output) {
  size_t done = 0;
  while (done < output->used && !output->failed) {
    const long written = trace_call(SYS_write, output->fd, output->bytes + done, output->used - done);
    if (written > 0)
      done += (size_t)written;
    else if (written == 0 || errno != EINTR)
      output->failed = true;
  }
  output->used = 0;
}

/* Appends the text with its zero byte. */
static void put(struct output* output, const char* text) {
  for (size_t left = strlen(text) + 1; left > 0 && !output->failed;) {
    if (output->used == sizeof output->bytes) flush(output);
    const size_t room = sizeof output->bytes - output->used;
    const size_t part = left < room ? left : room;
    memcpy(output->bytes + output->used, text, part);
    output->used += part;
    text += part;
    left -= part;
  }
}

static void put_number(struct output* output, unsigned long long number) {
  char text[24];
  snprintf(text, sizeof text, "%llu", number);
  put(output, text);
}

static void put_mask(struct output* output) {
  const long mask = trace_call(SYS_umask, 0);
  trace_call(SYS_umask, mask);
  put_number(output, (unsigned long long)mask);
}

static void put_directory(struct output* output) {
  char path[TRACE_TEXT_LIMIT + 1];
  put(output, trace_call(SYS_getcwd, path, sizeof path) > 0 ? path : "");
}

static int create(void) {
  for (unsigned number = 0; number < PROGRAM_LIMIT; ++number) {
    char name[32];
    char path[TRACE_TEXT_LIMIT + 1];
    snprintf(name, sizeof name, "driver.%u", number);
    if (!in_directory_of_trace(path, name)) return -1;
    const int fd = (int)trace_call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

static void note_start(const char* program, int argc, char** argv) {
  static struct output output;
  output.fd = create();
  if (output.fd < 0) return;
  put(&output, program);
  put_number(&output, (unsigned long long)trace_call(SYS_getppid));
  put_mask(&output);
  put_directory(&output);
  put_number(&output, (unsigned long long)argc);
  for (int word = 0; word < argc; ++word) put(&output, argv[word]);
  for (char** entry = environ; *entry != NULL; ++entry) put(&output, *entry);
  put(&output, "");
  flush(&output);
  trace_call(SYS_close, output.fd);
}

static size_t read_all(int fd, char* bytes, size_t size) {
  size_t used = 0;
  while (used < size) {
    const long got = trace_call(SYS_read, fd, bytes + used, size - used);
    if (got > 0) {
      used += (size_t)got;
    } else if (got == 0 || errno != EINTR) {
      return got == 0 ? used : 0;
    }
  }
  return 0; /* too long */
}

int trace_driver_words(int argc, char** argv, char* words[TRACE_DRIVER_WORDS]) {
  static char bytes[WRITE_LIMIT];
  char path[TRACE_TEXT_LIMIT + 1];
  if (!trace_active() || !in_directory_of_trace(path, "driver")) return 0;
  const int fd = (int)trace_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  const size_t size = read_all(fd, bytes, sizeof bytes);
  trace_call(SYS_close, fd);
  const long length = trace_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, (size_t)TRACE_TEXT_LIMIT);
  if (size == 0 || bytes[size - 1] != '\0' || length <= 0) return 0;
  path[length] = '\0';
  note_start(path, argc, argv);
  if (strcmp(path, bytes) != 0) return 0;
  int count = 0;
  for (char* word = bytes + strlen(bytes) + 1; word < bytes + size && count < TRACE_DRIVER_WORDS;
       word += strlen(word) + 1)
    words[count++] = word;
  return count;
}

void trace_add_words(int argc, char** argv, int count, char* const* words, char** result) {
  int place = 0; /* what follows "--" is a file */
  while (place < argc && strcmp(argv[place], "--") != 0) ++place;
  memcpy(result, argv, (size_t)place * sizeof *argv);
  memcpy(result + place, words, (size_t)count * sizeof *words);
  memcpy(result + place + count, argv + place, (size_t)(argc - place) * sizeof *argv);
  result[argc + count] = NULL;
}
