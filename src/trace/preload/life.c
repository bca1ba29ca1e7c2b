/* The start and the end of a process, and the libraries that are mapped at these times. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"

/* The process that must write `end`. */
static _Atomic pid_t owner = 0;

static bool contains(const struct dl_phdr_info* object, const void* address) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    const ElfW(Addr) start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (ElfW(Addr))address - start < segment->p_memsz) return true;
  }
  return false;
}

/* The loader has closed the file. So its state is taken before the program's first instruction, and again at the
 * end. */
static void record_library_at(const char* path) { trace_emit_seen(TRACE_LIBRARY, true, trace_seen_path(path), path); }

/* A library found by a relative search path has a relative name. */
static void record_relative_library(const char* name) {
  char path[TRACE_TEXT_LIMIT + 1];
  const long length = trace_call(SYS_getcwd, path, (size_t)TRACE_TEXT_LIMIT);
  if (length <= 0 || (size_t)length + strlen(name) > TRACE_TEXT_LIMIT) {
    trace_unknown("library", name);
    return;
  }
  path[length - 1] = '/';
  strcpy(path + length, name);
  record_library_at(path);
}

/* The program itself has an empty name here; the kernel's vdso has a name without a directory. */
static int record_library(struct dl_phdr_info* object, size_t size, void* self) {
  (void)size;
  const char* name = object->dlpi_name;
  if (name == NULL || strchr(name, '/') == NULL || contains(object, self)) return 0;
  if (name[0] == '/') {
    record_library_at(name);
  } else {
    record_relative_library(name);
  }
  return 0;
}

void trace_libraries(void) {
  static const char inside_this_library = 0;
  if (trace_active()) dl_iterate_phdr(record_library, (void*)&inside_this_library);
}

void trace_begin(void) {
  if (!trace_active()) return;
  atomic_store(&owner, (pid_t)trace_call(SYS_getpid));
  char path[TRACE_TEXT_LIMIT + 1];
  const long length = trace_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, (size_t)TRACE_TEXT_LIMIT);
  if (length <= 0) return;
  path[length] = '\0';
  trace_emit_seen(TRACE_PROGRAM, true, trace_seen_path("/proc/self/exe"), path);
}

void trace_end(void) {
  if (!trace_active()) return;
  pid_t self = (pid_t)trace_call(SYS_getpid);
  if (atomic_load(&owner) != self) return;
  trace_libraries();
  if (atomic_compare_exchange_strong(&owner, &self, 0)) trace_emit(TRACE_END, true, "");
}

void trace_own(void) {
  if (trace_active()) atomic_store(&owner, (pid_t)trace_call(SYS_getpid));
}

__attribute__((constructor)) static void begin(void) {
  trace_begin();
  trace_libraries();
}

__attribute__((destructor)) static void finish(void) { trace_end(); }

TRACE_HOOK(_exit);
TRACE_EXPORT void _exit(int code) {
  trace_end();
  TRACE_REAL(_exit)(code);
  __builtin_unreachable();
}

TRACE_HOOK(_Exit);
TRACE_EXPORT void _Exit(int code) {
  trace_end();
  TRACE_REAL(_Exit)(code);
  __builtin_unreachable();
}

TRACE_HOOK(quick_exit);
TRACE_EXPORT void quick_exit(int code) {
  trace_end();
  TRACE_REAL(quick_exit)(code);
  __builtin_unreachable();
}

/* Records what dlopen mapped, before dlclose may unmap it. */
TRACE_HOOK(dlclose);
TRACE_EXPORT int dlclose(void* handle) {
  trace_libraries();
  return TRACE_REAL(dlclose)(handle);
}
