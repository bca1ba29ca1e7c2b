/* What the files of libhipcache-trace.so share: how to write a record and how to find the real function.
 *
 * The library runs inside other people's programs. So it uses C and libc alone, no locks that a fork could leave held,
 * no allocation, and raw system calls for its own work. It leaves errno as the real function set it. If a record cannot
 * be written, `end` is not written either, so an incomplete trace never passes for a complete one. */
#ifndef HIPCACHE_SRC_TRACE_PRELOAD_INTERNAL_H
#define HIPCACHE_SRC_TRACE_PRELOAD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The values of hipcache::trace::Kind in hipcache/trace/record.h. */
enum trace_kind {
  TRACE_PROGRAM = 1,
  TRACE_LIBRARY = 2,
  TRACE_OPEN_READ = 3,
  TRACE_OPEN_WRITE = 4,
  TRACE_LOOK = 5,
  TRACE_LIST = 6,
  TRACE_LINK = 7,
  TRACE_REAL_PATH = 8,
  TRACE_VARIABLE = 9,
  TRACE_CLOCK = 10,
  TRACE_EXECUTE = 11,
  TRACE_NETWORK = 12,
  TRACE_UNKNOWN = 13,
  TRACE_END = 14,
  TRACE_MACHINE = 15,
  TRACE_DATE = 16,
  TRACE_LIBRARY_NAME = 17,
  TRACE_ANSWER = 18,
  TRACE_TERMINAL = 19,
  TRACE_CONTENT = 20
};

/* The values of hipcache::trace::Change, in the place of `seen`: how a path came to be written. */
enum trace_change { TRACE_CHANGED = 0, TRACE_OPENED = 1, TRACE_MOVED_HERE = 2, TRACE_ADDED_TO = 3 };

enum { TRACE_TEXT_LIMIT = 4096 };

/* The version of symbols that every glibc for this processor has. */
#ifdef __x86_64__
#define TRACE_OLDEST_GLIBC "GLIBC_2.2.5"
#else
#define TRACE_OLDEST_GLIBC "GLIBC_2.17"
#endif

/* The text of a `clock` record by Python: hipcache::trace::kPythonsClock. */
#define TRACE_PYTHONS_CLOCK "localtime in python"

/* Appends one record, unless this process has written the same one before. A text that is too long becomes
 * `unknown`. */
void trace_emit(enum trace_kind kind, bool found, const char* text);
/* The same with the digest of what the call gave; 0: not known. */
void trace_emit_seen(enum trace_kind kind, bool found, uint64_t seen, const char* text);
/* `unknown`, with the text "call: detail". */
void trace_unknown(const char* call, const char* detail);

/* Records a call that took a path and has returned. If it did not find the path, errno must be the call's. Ignores null
 * paths. */
void trace_path(enum trace_kind kind, const char* path, bool found);
/* The same for calls that take a directory descriptor. */
void trace_path_at(const char* call, enum trace_kind kind, int directory, const char* path, bool found);
/* The same two for calls with a digest of what they gave (see below). If not `found`, `seen` is ignored. */
void trace_saw(enum trace_kind kind, const char* path, bool found, uint64_t seen);
void trace_saw_at(const char* call, enum trace_kind kind, int directory, const char* path, bool found, uint64_t seen);
/* As `trace_path`, for calls that return their error. */
void trace_path_error(enum trace_kind kind, const char* path, int error);

/* Records a file that libc may have opened by itself, in its present state. The second records a look, and returns
 * whether the path is there. */
void trace_saw_file(const char* path);
bool trace_saw_there(const char* path);

/* Digests of what a call gave (trace/seen_digest.h); 0 if unknown. errno is preserved. */
/* A file in its present state, perhaps with TRACE_MAY_CHANGE_UNSEEN, or a directory. 0 for a negative descriptor.
 * REQUIRES: the process has not read from it yet. */
uint64_t trace_seen_descriptor(int fd);
uint64_t trace_seen_path(const char* path); /* the same by name: may be of a later moment than the call */
/* Which file it is, and for a regular file whether it is empty. */
uint64_t trace_seen_entry(uint64_t device, uint64_t inode, uint32_t mode, int64_t size);
uint64_t trace_seen_text(const char* text, size_t length);
/* Records the content of a program or library, in a trace with contents (HIPCACHE_TRACE_CONTENTS). */
void trace_program_content(const char* path);

/* Records an open with these flags of open(2), successful or not. `existed`: trace_existed's result before the call. */
void trace_open(const char* call, int directory, const char* path, int flags, bool existed, bool found, uint64_t seen);
/* Whether a path is there now, if the flags make that matter (O_CREAT without O_EXCL or O_TRUNC); else false. */
bool trace_existed(int directory, const char* path, int flags);
bool trace_is_executable(int directory, const char* path);
/* The path behind a descriptor; false if it has none. */
bool trace_path_of(int fd, char path[TRACE_TEXT_LIMIT + 1]);

/* The variable's value, found without libc: for moments in which no function may be looked up. */
char* trace_environment(const char* name);

/* Whether a child that ends at once replaces the start of that program: an answer was prepared, or starts are
 * captured. */
bool trace_answer(pid_t* child, const char* path, char* const argv[]);

/* driver.c: the words that a driver behind a static wrapper adds to its own. */
enum { TRACE_DRIVER_WORDS = 16 };

/* Sets `words` to those that this program must add to its own, and returns their number; words that do not fit are left
 * out. Also records how the program was started, if the trace asks for it. */
int trace_driver_words(int argc, char** argv, char* words[TRACE_DRIVER_WORDS]);

/* The program's words plus `count` more, before a "--". REQUIRES: `result` has room for all of them and the final
 * null. */
void trace_add_words(int argc, char** argv, int count, char* const* words, char** result);

/* True if HIPCACHE_TRACE names a file. Safe from the first instruction on. */
bool trace_active(void);
/* The file's absolute name. REQUIRES: trace_active(). */
const char* trace_file(void);
/* `end` is written once, and only in the process that wrote `program`: when that ends, or becomes another program. */
void trace_begin(void);
void trace_end(void);
/* Called in a forked child that must write its own `end`, because its parent will not. */
void trace_own(void);
/* Continues in the file that HIPCACHE_TRACE names now; false if that fails. REQUIRES: one thread. */
bool trace_restart(void);
/* Records the libraries that are mapped now. */
void trace_libraries(void);

/* The function that the program would have called without the library: the next of that name, fakeroot's or libc's. */
typedef void (*trace_function)(void);
struct trace_hook {
  const char* name;
  _Atomic(trace_function) real;
};
trace_function trace_real(struct trace_hook* hook);
/* True while this thread looks a function up. A hook must then do without real functions. */
bool trace_is_resolving(void);

#define TRACE_HOOK(name) static struct trace_hook hook_##name = {#name, NULL}
#define TRACE_REAL(name) ((__typeof__(&name))trace_real(&hook_##name))
#define TRACE_EXPORT __attribute__((visibility("default")))

#endif
