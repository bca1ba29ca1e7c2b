/* hipcache in front of the compilers that a wrapper starts.
 *
 * The problem: a wrapper (a script called clang++, a program of a Python package) may ask for anything before it starts
 * the compiler: a file's size, its owner, the processor, the time, a random number. No trace has all of that, so a
 * stored compile of a wrapper may be stale. The choice: the wrapper runs each time, as without hipcache, and only the
 * compilers that it starts are cached. hipcache executes the wrapper with this library preloaded. Where the wrapper
 * would start a compiler, hipcache is started with that compiler's words. So what the wrapper asked need not be known:
 * the words, the variables, the directory and the mask that it gives the compiler are those of the request.
 * Rejected: asking everything again that the wrapper asked. The list of questions would never be complete.
 *
 *   HIPCACHE_WRAPPER   hipcache's path, then words to put before the compiler; each ends in a newline
 *
 * hipcache gets the environment that the wrapper gave the compiler, without this library and this variable. So do
 * programs that would not load the library, and all that a process starts after it has left for another root or
 * namespace, where the library may be missing: the loader would print an error. A compiler that only prints (its
 * version, a path) is started as it is. Everything lies on the caller's stack, because the caller
 * may be a vfork's child. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hipcache/trace/loads_library.h"
#include "trace/preload/call.h"
#include "trace/preload/child_environment.h"
#include "trace/preload/internal.h"

enum { LEADING_WORDS = 8 };

#define VARIABLE "HIPCACHE_WRAPPER="
#define PRELOAD "LD_PRELOAD="

static char value[TRACE_TEXT_LIMIT + 1]; /* its newlines are zero bytes */
static char* leading[LEADING_WORDS];     /* hipcache, then the words; [0] is NULL without the variable */
static size_t leading_count;

static const char* base_of(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* The length of the name without its version: "clang++" of "clang++-19.1". */
static size_t length_without_version(const char* name) {
  const char* dash = strrchr(name, '-');
  const bool has_version = dash != NULL && dash[1] != '\0' && strspn(dash + 1, "0123456789.") == strlen(dash + 1);
  return has_version ? (size_t)(dash - name) : strlen(name);
}

/* Whether the name, without its version and the target before it, is a driver's. As compiler/command_line decides. */
static bool is_driver(const char* path) {
  static const char* const names[] = {"clang", "clang++", "amdclang", "amdclang++", "gcc",
                                      "g++",   "cc",      "c++",      "hipcc",      "iree-compile"};
  const char* name = base_of(path);
  const size_t length = length_without_version(name);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const size_t wanted = strlen(names[i]);
    if (length < wanted || memcmp(name + length - wanted, names[i], wanted) != 0) continue;
    if (length == wanted || name[length - wanted - 1] == '-') return true;
  }
  return false;
}

/* Whether the word makes a driver print something about itself instead of compiling. */
static bool asks_only(const char* word) {
  static const char* const questions[] = {"-print-", "--print-", "-dump", "--version", "--help", "-help", "-###"};
  for (size_t i = 0; i < sizeof questions / sizeof *questions; ++i) {
    if (strncmp(word, questions[i], strlen(questions[i])) == 0) return true;
  }
  return false;
}

static bool compiles(char* const argv[]) {
  size_t count = 1;
  for (; argv[count] != NULL; ++count) {
    if (asks_only(argv[count])) return false;
  }
  return count > 1;
}

/* A driver takes its mode from the name by which it is called, and hipcache calls it by its path. */
static bool is_compile(const char* path, char* const argv[]) {
  if (path == NULL || argv == NULL || argv[0] == NULL || !is_driver(path)) return false;
  if (strcmp(base_of(path), base_of(argv[0])) != 0 || !compiles(argv)) return false;
  /* dash tries each directory of PATH. */
  return strchr(path, '/') == NULL || trace_is_executable(AT_FDCWD, path);
}

static size_t count_of(char* const list[]) {
  size_t count = 0;
  while (list != NULL && list[count] != NULL) ++count;
  return count;
}

static const char* preload_in(char* const environment[]) {
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, PRELOAD, strlen(PRELOAD)) == 0) return *entry;
  }
  return NULL;
}

/* Copies the variable without this library; false if nothing else is in it. */
static bool without_library(const char* preload, char* copy) {
  const char* library = trace_library();
  const char* at = library[0] == '\0' ? NULL : strstr(preload, library);
  strcpy(copy, preload);
  if (at == NULL) return true;
  const char* rest = at + strlen(library);
  if (*rest == ':') ++rest;
  strcpy(copy + (at - preload), rest);
  return copy[strlen(PRELOAD)] != '\0';
}

/* Fills `entries` with the environment that the wrapper gives the compiler. */
static void fill_environment(char* const environment[], char** entries, char* preload) {
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, VARIABLE, strlen(VARIABLE)) == 0) continue;
    if (strncmp(*entry, PRELOAD, strlen(PRELOAD)) != 0) {
      *entries++ = *entry;
    } else if (without_library(*entry, preload)) {
      *entries++ = preload;
    }
  }
  *entries = NULL;
}

static void fill_words(const char* path, char* const argv[], char** words) {
  memcpy(words, leading, leading_count * sizeof *words);
  words += leading_count;
  *words++ = (char*)path;
  memcpy(words, argv + 1, count_of(argv) * sizeof *words); /* with the null */
}

/* Declares `words` and `entries`: the command of hipcache and its environment. */
#define FRONT_COMMAND(path, argv, environment)           \
  const char* const theirs = preload_in(environment);    \
  char preload[theirs == NULL ? 1 : strlen(theirs) + 1]; \
  char* entries[count_of(environment) + 1];              \
  char* words[LEADING_WORDS + count_of(argv) + 1];       \
  fill_environment(environment, entries, preload);       \
  fill_words(path, argv, words)

/* The program that libc's search along PATH would execute; the name itself if it has a slash, or if there is none. */
static const char* found_program(const char* name, char path[TRACE_TEXT_LIMIT + 1]) {
  const char* directory = strchr(name, '/') != NULL ? NULL : trace_environment("PATH");
  while (directory != NULL) {
    const size_t length = strcspn(directory, ":");
    if (length > 0 && length + strlen(name) + 1 <= TRACE_TEXT_LIMIT) {
      memcpy(path, directory, length);
      path[length] = '/';
      strcpy(path + length + 1, name);
      if (trace_is_executable(AT_FDCWD, path)) return path;
    }
    directory = directory[length] == '\0' ? NULL : directory + length + 1;
  }
  return name;
}

enum start { AS_IT_IS, WITHOUT_LIBRARY, BY_HIPCACHE };

static bool is_one_file(const char* one, const char* other) {
  struct stat left;
  struct stat right;
  return trace_call(SYS_newfstatat, AT_FDCWD, one, &left, 0) == 0 &&
         trace_call(SYS_newfstatat, AT_FDCWD, other, &right, 0) == 0 && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
}

/* By its name, or by a link that has the name of a cache in whose place hipcache is called. */
static bool is_hipcache(const char* path) {
  char found[TRACE_TEXT_LIMIT + 1];
  if (path == NULL) return false;
  const char* name = base_of(path);
  if (strncmp(name, "hipcache", strlen("hipcache")) == 0) return true;
  const bool is_other = strcmp(name, "ccache") == 0 || strcmp(name, "sccache") == 0;
  return is_other && is_one_file(found_program(path, found), leading[0]);
}

/* A wrapper that runs hipcache itself is asked about the compiler behind that (--plan). */
static void take_hipcaches_compiler(const char** path, char* const** argv) {
  const bool asks = leading_count > 1 && is_hipcache(*path) && (*argv)[0] != NULL && (*argv)[1] != NULL;
  if (!asks || (*argv)[1][0] == '-') return;
  ++*argv;
  *path = (*argv)[0];
}

static enum start start_of(const char* path, char* const argv[]) {
  char found[TRACE_TEXT_LIMIT + 1];
  if (leading_count == 0 || path == NULL) return AS_IT_IS;
  if (trace_wrapper() == NULL) return WITHOUT_LIBRARY;
  if (is_compile(path, argv)) return BY_HIPCACHE;
  return is_hipcache(path) || !hipcache_loads_library(found_program(path, found)) ? WITHOUT_LIBRARY : AS_IT_IS;
}

TRACE_HOOK(execve);
TRACE_HOOK(execvpe);

void trace_exec_in_front(const char* path, char* const argv[], char* const environment[]) {
  take_hipcaches_compiler(&path, &argv);
  const enum start start = start_of(path, argv);
  if (start == AS_IT_IS) return;
  FRONT_COMMAND(path, argv, environment);
  if (start == BY_HIPCACHE) TRACE_REAL(execve)(leading[0], words, entries);
  if (start == WITHOUT_LIBRARY) TRACE_REAL(execvpe)(path, argv, entries);
}

TRACE_HOOK(posix_spawn);
TRACE_HOOK(posix_spawnp);

bool trace_spawn_in_front(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  take_hipcaches_compiler(&path, &argv);
  const enum start start = start_of(path, argv);
  if (start == AS_IT_IS) return false;
  FRONT_COMMAND(path, argv, environment);
  const int error = start == BY_HIPCACHE
                        ? TRACE_REAL(posix_spawn)(child, leading[0], actions, attributes, words, entries)
                        : TRACE_REAL(posix_spawnp)(child, path, actions, attributes, argv, entries);
  return error == 0;
}

/* Calls after which the library may no longer be where it was. */
#define LEAVES(name, parameters, arguments)        \
  TRACE_HOOK(name);                                \
  TRACE_EXPORT int name parameters {               \
    const int result = TRACE_REAL(name) arguments; \
    if (result == 0) trace_leave();                \
    return result;                                 \
  }
LEAVES(unshare, (int flags), (flags))
LEAVES(setns, (int fd, int kind), (fd, kind))

/* Another cache decides by itself which compiles run, and expects the compiler alone. */
static bool is_other_cache(void) {
  static const char* const names[] = {"ccache", "sccache", "distcc", "icecc"};
  char path[TRACE_TEXT_LIMIT + 1];
  const long length = trace_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, (size_t)TRACE_TEXT_LIMIT);
  if (length <= 0) return false;
  path[length] = '\0';
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strcmp(base_of(path), names[i]) == 0) return true;
  }
  return false;
}

/* Before the program's first instruction: it may change its environment. */
__attribute__((constructor)) static void read_variable(void) {
  const char* given = trace_environment("HIPCACHE_WRAPPER");
  if (given == NULL || given[0] != '/' || strlen(given) > TRACE_TEXT_LIMIT || is_other_cache()) return;
  strcpy(value, given);
  size_t count = 0;
  for (char* word = value; *word != '\0' && count < LEADING_WORDS;) {
    char* end = strchr(word, '\n');
    if (end == NULL) return;
    *end = '\0';
    leading[count++] = word;
    word = end + 1;
  }
  (void)TRACE_REAL(execve);
  (void)TRACE_REAL(execvpe);
  leading_count = count;
}
