/* Runs several commands in one start of a program: the front end of a compile, then the back end on its output.
 *
 * The problem: loading, relocating and initialising a compiler takes some 25 ms of processor time, a tenth of a light
 * compile. Starting the compiler twice would cost that twice. The choice: the process forks before `main`, when all of
 * that is done. One child runs `main` with the first command, another with the second, and the process itself executes
 * the program of the last command. Rejected: executing the compiler again for the second command. As measured, that
 * costs the whole start. Rejected: calling `main` twice in one process. A compiler leaves its options and its memory
 * behind.
 *
 *   argv: A.. MARK B.. MARK program C..     A and B are commands of this program, C is one of another
 *   argv: A.. MARK B.. MARK ... MARK        all commands are of this program
 *
 *   child: main(A)   writes to this process's trace
 *   child: main(B)   writes to the trace NAME.then, as everything after it does; its messages go to NAME.said
 *   exec C
 *
 * If a command fails, nothing further is run, and the process ends as the command did. NAME.first holds A's processor
 * time in microseconds, once A has succeeded. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hipcache/base/stream_marks.h"
#include "trace/preload/call.h"
#include "trace/preload/internal.h"

typedef int (*main_function)(int, char**, char**);

enum { CANNOT_START = 126 }; /* a shell's exit code for it */

static const char mark[] = "\x01then\x01";
static main_function real_main;
static char* added_words[TRACE_DRIVER_WORDS];
static int added_count;
static char trace_variable[] = "HIPCACHE_TRACE=";
static char second_variable[sizeof trace_variable + TRACE_TEXT_LIMIT];

static int find_mark(char** argv) {
  int index = 0;
  while (argv[index] != NULL && strcmp(argv[index], mark) != 0) ++index;
  return argv[index] == NULL ? -1 : index;
}

/* The trace's NAME with an ending; false if there is no trace or no room. */
static bool beside_trace(char path[TRACE_TEXT_LIMIT + 1], const char* ending) {
  const char* name = trace_environment("HIPCACHE_TRACE");
  if (name == NULL || strlen(name) + strlen(ending) > TRACE_TEXT_LIMIT) return false;
  strcpy(path, name);
  strcat(path, ending);
  return true;
}

static int create(const char* ending) {
  char path[TRACE_TEXT_LIMIT + 1];
  if (!beside_trace(path, ending)) return -1;
  return (int)trace_call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static bool write_all(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const long written = trace_call(SYS_write, fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= (size_t)written;
  }
  return true;
}

/* The second command depends on everything that was read before `main`, too. */
static bool copy_trace(void) {
  char bytes[16 * 1024];
  char path[TRACE_TEXT_LIMIT + 1];
  if (!beside_trace(path, "")) return false;
  const int from = (int)trace_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  const int to = create(".then");
  long got = from < 0 || to < 0 ? -1 : 1;
  while (got > 0) {
    got = trace_call(SYS_read, from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      got = 1;
    else if (got > 0 && !write_all(to, bytes, (size_t)got))
      got = -1;
  }
  if (from >= 0) trace_call(SYS_close, from);
  if (to >= 0) trace_call(SYS_close, to);
  return got == 0;
}

static bool note_time(const struct rusage* used) {
  const int fd = create(".first");
  if (fd < 0) return false;
  char text[32];
  const long long seconds = (long long)used->ru_utime.tv_sec + used->ru_stime.tv_sec;
  const int length = snprintf(text, sizeof text, "%lld",
                              seconds * 1000000 + (long long)used->ru_utime.tv_usec + used->ru_stime.tv_usec);
  const bool written = write_all(fd, text, (size_t)length);
  trace_call(SYS_close, fd);
  return written;
}

/* From here on the process's own trace is NAME.then. */
static bool switch_trace(void) {
  strcpy(second_variable, trace_variable);
  if (!beside_trace(second_variable + strlen(trace_variable), ".then")) return false;
  for (char** entry = environ; *entry != NULL; ++entry)
    if (strncmp(*entry, trace_variable, strlen(trace_variable)) == 0) *entry = second_variable;
  return trace_restart();
}

/* The program that follows gains nothing from the compiler's huge pages. */
static void drop_huge_pages(void) {
  char** kept = environ;
  for (char** entry = environ; *entry != NULL; ++entry)
    if (strcmp(*entry, HIPCACHE_HUGE_PAGES) != 0) *kept++ = *entry;
  *kept = NULL;
}

static bool redirect_texts(void) {
  const int fd = create(".said");
  if (fd < 0) return false;
  return trace_call(SYS_dup3, fd, STDOUT_FILENO, 0) >= 0 && trace_call(SYS_dup3, fd, STDERR_FILENO, 0) >= 0;
}

/* Ends this process as the child ended, but without a second core file. */
static _Noreturn void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    kill((pid_t)trace_call(SYS_getpid), WTERMSIG(status));
  }
  trace_call(SYS_exit_group, WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT_START);
  __builtin_unreachable();
}

static _Noreturn void give_up(void) { end_as(CANNOT_START << 8); }

static struct rusage run_in_child(int argc, char** argv) {
  const pid_t parent = (pid_t)trace_call(SYS_getpid);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) give_up();
    trace_own();
    exit(real_main(argc, argv, environ));
  }
  int status = 0;
  struct rusage used;
  if (child < 0) give_up();
  while (trace_call(SYS_wait4, child, &status, 0, &used) != child)
    if (errno != EINTR) give_up();
  if (status != 0) end_as(status);
  return used;
}

static int run_all(int argc, char** argv, char** environment) {
  (void)environment;
  int end = find_mark(argv);
  if (end < 0) return real_main(argc, argv, environ);
  if (find_mark(argv + end + 1) < 0 || !trace_active() || !copy_trace()) give_up();
  char** next = argv;
  for (; end >= 0; end = find_mark(next)) {
    next[end] = NULL;
    const struct rusage used = run_in_child(end, next);
    if (next == argv && (!note_time(&used) || !redirect_texts() || !switch_trace())) give_up();
    next += end + 1;
  }
  if (next[0] == NULL) end_as(0);
  drop_huge_pages();
  trace_call(SYS_execve, next[0], next + 1, environ);
  give_up();
}

static int run_with_words(int argc, char** argv, char** environment) {
  (void)environment;
  char* words[argc + added_count + 1];
  trace_add_words(argc, argv, added_count, added_words, words);
  return real_main(argc + added_count, words, environ);
}

/* The start of every program. A program without the mark, and without words to add (preload/driver.c), runs its own
 * `main` directly. */
TRACE_HOOK(__libc_start_main);
TRACE_EXPORT int __libc_start_main(main_function main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                                   void (*loader_fini)(void), void* stack_end);
int __libc_start_main(main_function main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void* stack_end) {
  real_main = main;
  added_count = trace_driver_words(argc, argv, added_words);
  const main_function begin = added_count > 0 ? run_with_words : find_mark(argv) < 0 ? main : run_all;
  return TRACE_REAL(__libc_start_main)(begin, argc, argv, init, fini, loader_fini, stack_end);
}
