/* Prepared answers for programs that a traced program starts.
 *
 * The problem: clang-linker-wrapper starts a compiler for each architecture, one after the other, all within one step.
 * The choice: the daemon runs these compilers before, each as a step of its own, and leaves their outputs beside the
 * trace. The wrapper may then start a program with the same arguments and the same bytes in its input files. In that
 * case the library copies the prepared file to the output, and a child only prints what the compiler printed and ends
 * with success. Any other program is started as usual. So a wrong answer does no harm: only an exact match is used.
 * Rejected: a program of hipcache's in place of the compiler. It would be another input of the step, and its start
 * costs more than the copy.
 *
 * DIRECTORY-OF-THE-TRACE/answers:
 *
 *   answers := { program NUL { word } "." NUL said NUL }
 *   word    := "=" argument NUL | ( "<" | ">" ) before NUL after NUL prepared NUL
 *
 * "<" is an input: any name that begins with `before`, ends with `after` and has six hexadecimal digits between them.
 * Its bytes must be those of the prepared file. ">" is the output, which gets the bytes of the prepared file. `said` is
 * a file with what the compiler printed.
 *
 * Before it can prepare answers, the daemon must know what the wrapper will start. In a link, clang-linker-wrapper
 * takes each architecture's bitcode out of objects and archives, by rules of its own. Its list of jobs (--dry-run)
 * names these files but does not make them. So the daemon first runs the wrapper without its programs. A child that
 * ends with success replaces each program, and the library records what would have been started. Rejected: extracting
 * the bitcode with another program, which would have to know which members of which archives count.
 *
 * DIRECTORY-OF-THE-TRACE/captured, if it exists:
 *
 *   captured := { program NUL { taken } "." NUL }
 *   taken    := "=" argument NUL | "<" argument NUL size NUL bytes
 *
 * In arguments the directory is "\1dir\1". "<" is a non-empty file in that directory: an input of a compiler. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"

enum { CHANCE = 6, BLOCK = 16 * 1024 };

/* The rest of the file of answers. */
struct texts {
  const char* at;
  const char* end;
};

/* The next text, or NULL at the end. REQUIRES: the file ends with NUL. */
static const char* next(struct texts* texts) {
  if (texts->at >= texts->end) return NULL;
  const char* text = texts->at;
  texts->at += strlen(text) + 1;
  return text;
}

static bool has_form(const char* word, const char* before, const char* after) {
  const size_t length = strlen(before);
  if (strncmp(word, before, length) != 0) return false;
  word += length;
  return strspn(word, "0123456789abcdef") >= CHANCE && strcmp(word + CHANCE, after) == 0;
}

static int open_to_read(const char* path) {
  return (int)trace_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

static void close_if_open(int fd) {
  if (fd >= 0) trace_call(SYS_close, fd);
}

/* Reads until the block is full or the file ends. Returns the number of bytes, or below 0 on failure. */
static long read_block(int fd, char block[BLOCK]) {
  long filled = 0;
  while (filled < BLOCK) {
    const long got = trace_call(SYS_read, fd, block + filled, BLOCK - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

static bool write_block(int fd, const char* block, long size) {
  while (size > 0) {
    const long written = trace_call(SYS_write, fd, block, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    block += written;
    size -= written;
  }
  return true;
}

static bool are_equal(const char* one, const char* other) {
  char block[BLOCK];
  char other_block[BLOCK];
  const int fd = open_to_read(one);
  const int other_fd = open_to_read(other);
  bool equal = fd >= 0 && other_fd >= 0;
  for (long size = BLOCK; equal && size == BLOCK;) {
    size = read_block(fd, block);
    equal = size >= 0 && read_block(other_fd, other_block) == size && memcmp(block, other_block, (size_t)size) == 0;
  }
  close_if_open(fd);
  close_if_open(other_fd);
  return equal;
}

static bool copy_to(int to, int from) {
  char block[BLOCK];
  bool copied = to >= 0 && from >= 0;
  for (long size = BLOCK; copied && size == BLOCK;) {
    size = read_block(from, block);
    copied = size >= 0 && write_block(to, block, size);
  }
  return copied;
}

static bool copy_file(const char* from, const char* path) {
  const int source = open_to_read(from);
  const int target =
      source < 0 ? -1 : (int)trace_call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const bool copied = copy_to(target, source);
  close_if_open(source);
  close_if_open(target);
  return copied;
}

/* One answer, as far as it matches the program that is being started. */
struct match {
  bool same;
  const char* output;   /* path that the started command gives */
  const char* prepared; /* file that the output becomes a copy of */
  const char* said;
};

/* REQUIRES: `word` is not NULL. */
static void match_word(struct match* match, const char* word, struct texts* texts, const char* actual) {
  if (word[0] == '=') {
    match->same = match->same && actual != NULL && strcmp(word + 1, actual) == 0;
    return;
  }
  const char* after = next(texts);
  const char* prepared = next(texts);
  match->same = match->same && prepared != NULL && actual != NULL && has_form(actual, word + 1, after);
  if (!match->same) return;
  if (word[0] == '<') {
    match->same = are_equal(actual, prepared);
  } else {
    match->output = actual;
    match->prepared = prepared;
  }
}

/* Consumes one whole answer, whether or not it matches. */
static struct match match_answer(struct texts* texts, const char* path, char* const argv[]) {
  struct match match = {0};
  const char* program = next(texts);
  match.same = program != NULL && strcmp(program, path) == 0;
  size_t count = 0;
  const char* word = next(texts);
  for (; word != NULL && strcmp(word, ".") != 0; word = next(texts)) {
    match_word(&match, word, texts, match.same ? argv[count] : NULL);
    ++count;
  }
  match.said = next(texts);
  match.same = match.same && match.said != NULL && match.output != NULL && argv[count] == NULL;
  return match;
}

/* A child that prints the recorded messages and ends with success. It is made by a raw system call, because libc's fork
 * runs code of the program in the child. */
static bool start_answer(pid_t* child, const struct match* match) {
  const int said = open_to_read(match->said);
  if (said < 0 || !copy_file(match->prepared, match->output)) {
    close_if_open(said);
    return false;
  }
  const long pid = trace_call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) trace_call(SYS_exit_group, copy_to(STDERR_FILENO, said) ? 0 : 1);
  close_if_open(said);
  if (pid > 0 && child != NULL) *child = (pid_t)pid;
  return pid > 0;
}

static bool answer_from(struct texts texts, pid_t* child, const char* path, char* const argv[]) {
  while (texts.at < texts.end) {
    const struct match match = match_answer(&texts, path, argv);
    if (match.same && start_answer(child, &match)) {
      trace_emit(TRACE_ANSWER, true, match.prepared);
      return true;
    }
  }
  return false;
}

/* The path of a file in the directory of the trace. For "" it is the directory, with a slash. */
static bool beside_trace(char path[TRACE_TEXT_LIMIT + 1], const char* file) {
  const char* name = trace_environment("HIPCACHE_TRACE");
  const char* slash = name == NULL ? NULL : strrchr(name, '/');
  if (slash == NULL || (size_t)(slash - name) + 1 + strlen(file) > TRACE_TEXT_LIMIT) return false;
  const size_t length = (size_t)(slash - name) + 1;
  memcpy(path, name, length);
  strcpy(path + length, file);
  return true;
}

static int open_answers(void) {
  char path[TRACE_TEXT_LIMIT + 1];
  return beside_trace(path, "answers") ? open_to_read(path) : -1;
}

static const char directory_mark[] =
    "\x01"
    "dir"
    "\x01";

static bool put_text(int fd, const char* text) { return write_block(fd, text, (long)strlen(text)); }
static bool put_end(int fd) { return write_block(fd, "", 1); }

static bool is_compiler(const char* path) {
  const char* slash = strrchr(path, '/');
  return strncmp(slash == NULL ? path : slash + 1, "clang", strlen("clang")) == 0;
}

static bool put_argument(int fd, const char* argument, const char* directory, size_t length) {
  if (strncmp(argument, directory, length) != 0) return put_text(fd, argument) && put_end(fd);
  return put_text(fd, directory_mark) && put_text(fd, argument + length - 1) && put_end(fd);
}

/* Writes the size and then that many bytes, even if the file grows meanwhile. */
static bool put_file(int fd, int file, long size) {
  char text[32];
  snprintf(text, sizeof text, "%ld", size);
  if (!put_text(fd, text) || !put_end(fd)) return false;
  char block[BLOCK];
  while (size > 0) {
    const long want = size < (long)BLOCK ? size : (long)BLOCK;
    const long got = trace_call(SYS_read, file, block, want);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !write_block(fd, block, got)) return false;
    size -= got;
  }
  return true;
}

static bool put_word(int fd, const char* word, bool may_be_file, const char* directory, size_t length) {
  const bool is_inside = may_be_file && strncmp(word, directory, length) == 0;
  const int file = is_inside ? (int)trace_call(SYS_openat, AT_FDCWD, word, O_RDONLY | O_CLOEXEC, 0) : -1;
  const long size = file < 0 ? 0 : trace_call(SYS_lseek, file, 0, SEEK_END);
  bool put = false;
  if (size > 0 && trace_call(SYS_lseek, file, 0, SEEK_SET) == 0) {
    put = put_text(fd, "<") && put_argument(fd, word, directory, length) && put_file(fd, file, size);
  } else {
    put = put_text(fd, "=") && put_argument(fd, word, directory, length);
  }
  if (file >= 0) trace_call(SYS_close, file);
  return put;
}

/* REQUIRES: `directory` ends with a slash. */
static bool put_start(int fd, const char* path, char* const argv[], const char* directory) {
  const size_t length = strlen(directory);
  bool put = put_text(fd, path) && put_end(fd);
  for (size_t i = 0; put && argv[i] != NULL; ++i)
    put = put_word(fd, argv[i], is_compiler(path) && i > 0 && strcmp(argv[i - 1], "-o") != 0, directory, length);
  return put && put_text(fd, ".") && put_end(fd);
}

static bool capture(pid_t* child, const char* path, char* const argv[]) {
  char directory[TRACE_TEXT_LIMIT + 1];
  char file[TRACE_TEXT_LIMIT + 1];
  if (!beside_trace(directory, "") || !beside_trace(file, "captured")) return false;
  const int saved = errno;
  const int fd = (int)trace_call(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  bool captured = false;
  if (fd >= 0) {
    /* If the start cannot be recorded, the child fails, so the wrapper fails. No program is started either way. */
    const bool put = put_start(fd, path, argv, directory);
    const long pid = trace_call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) trace_call(SYS_exit_group, put ? 0 : 1);
    if (pid > 0 && child != NULL) *child = (pid_t)pid;
    captured = pid > 0;
    trace_call(SYS_close, fd);
  }
  errno = saved;
  return captured;
}

bool trace_answer(pid_t* child, const char* path, char* const argv[]) {
  const int saved = errno;
  const int fd = open_answers();
  if (fd < 0) {
    errno = saved;
    return capture(child, path, argv);
  }
  bool answered = false;
  const long size = trace_call(SYS_lseek, fd, 0, SEEK_END);
  const char* bytes = size <= 0 ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes != MAP_FAILED) {
    if (bytes[size - 1] == '\0') answered = answer_from((struct texts){bytes, bytes + size}, child, path, argv);
    munmap((void*)bytes, (size_t)size);
  }
  trace_call(SYS_close, fd);
  errno = saved;
  return answered;
}
