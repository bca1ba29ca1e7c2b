/* The start and the end of a process, and the libraries that are mapped at these times. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
static void record_library_at(const char* path) {
  trace_emit_seen(TRACE_LIBRARY, true, trace_seen_path(path), path);
  trace_program_content(path);
}

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

/* Takes a number and the character behind it. Not strtoul, of which each glibc has a version of its own. */
static bool take_number(const char** text, unsigned base, char after, unsigned long* number) {
  static const char digits[] = "0123456789abcdef";
  const char* at = *text;
  const char* digit;
  for (*number = 0; *at != '\0' && (digit = strchr(digits, *at)) != NULL && digit < digits + base; ++at)
    *number = *number * base + (unsigned long)(digit - digits);
  if (at == *text || *at != after) return false;
  *text = at + 1;
  return true;
}

/* One line of the map: "start-end rights offset major:minor inode name". */
static bool names_file_at(const char* line, unsigned long address, const struct statx* file) {
  unsigned long start, end, device_major, device_minor, inode;
  if (!take_number(&line, 16, '-', &start) || !take_number(&line, 16, ' ', &end)) return false;
  if (address < start || address >= end) return false;
  const char* rights_end = strchr(line, ' ');
  if (rights_end == NULL) return false;
  line = rights_end + 1;
  unsigned long offset;
  return take_number(&line, 16, ' ', &offset) && take_number(&line, 16, ':', &device_major) &&
         take_number(&line, 16, ' ', &device_minor) && take_number(&line, 10, ' ', &inode) &&
         device_major == file->stx_dev_major && device_minor == file->stx_dev_minor && inode == file->stx_ino;
}

/* The program is the first object. */
static int take_headers(struct dl_phdr_info* object, size_t size, void* address) {
  (void)size;
  *(unsigned long*)address = (unsigned long)object->dlpi_phdr;
  return 1;
}

/* The program is mapped below its libraries, so the map's first part has it. */
static bool is_mapped(const struct statx* file) {
  char map[4 * TRACE_TEXT_LIMIT];
  const int fd = (int)trace_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  const long got = trace_call(SYS_read, fd, map, sizeof map - 1);
  trace_call(SYS_close, fd);
  map[got > 0 ? got : 0] = '\0';
  unsigned long headers = 0;
  dl_iterate_phdr(take_headers, &headers);
  for (char* line = map; line != NULL && *line != '\0';) {
    char* end = strchr(line, '\n');
    if (end != NULL) *end = '\0';
    if (names_file_at(line, headers, file)) return true;
    line = end == NULL ? NULL : end + 1;
  }
  return false;
}

/* Which file is the program of this process. The kernel tells by /proc/self/exe, also if another file has the program's
 * name by now. Under an emulator of another processor (qemu-user) that is the emulator. Yet it gives the right text of
 * this link, and the right map of the process's memory: there the file lies that the program was mapped from. */
static uint64_t seen_program(const char* path) {
  const int saved = errno;
  const uint64_t kernels = trace_seen_path("/proc/self/exe");
  const uint64_t named = trace_seen_path(path);
  struct statx file;
  const bool is_emulated = named != kernels && named != 0 &&
                           trace_call(SYS_statx, AT_FDCWD, path, 0, STATX_INO, &file) == 0 && is_mapped(&file);
  errno = saved;
  return is_emulated ? named : kernels;
}

void trace_begin(void) {
  if (!trace_active()) return;
  atomic_store(&owner, (pid_t)trace_call(SYS_getpid));
  char path[TRACE_TEXT_LIMIT + 1];
  const long length = trace_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, (size_t)TRACE_TEXT_LIMIT);
  if (length <= 0) return;
  path[length] = '\0';
  trace_emit_seen(TRACE_PROGRAM, true, seen_program(path), path);
  trace_program_content(path);
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
