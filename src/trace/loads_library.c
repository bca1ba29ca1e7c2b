#define _GNU_SOURCE
#include "hipcache/trace/loads_library.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 4096 };

#if defined __x86_64__
#define OWN_MACHINE EM_X86_64
#elif defined __aarch64__
#define OWN_MACHINE EM_AARCH64
#endif

/* The start of the file, with a zero byte behind it. */
static size_t read_head(const char* path, char head[HEAD + 1]) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t size = read(fd, head, HEAD);
  close(fd);
  head[size > 0 ? size : 0] = '\0';
  return size > 0 ? (size_t)size : 0;
}

static bool is_glibcs(const char* loader) {
  const char* slash = strrchr(loader, '/');
  return strncmp(slash == NULL ? loader : slash + 1, "ld-linux", strlen("ld-linux")) == 0;
}

static bool loads(const char* head, size_t size) {
  ElfW(Ehdr) header;
  if (size < sizeof header) return false;
  memcpy(&header, head, sizeof header);
  const int own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != own_class) return false;
  if (header.e_machine != OWN_MACHINE) return false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    const size_t place = header.e_phoff + i * sizeof segment;
    if (place + sizeof segment > size) return false;
    memcpy(&segment, head + place, sizeof segment);
    if (segment.p_type != PT_INTERP) continue;
    return segment.p_offset < size && is_glibcs(head + segment.p_offset);
  }
  return true; /* static */
}

static bool is_script(const char* head, size_t size) { return size > 2 && memcmp(head, "#!", 2) == 0; }

/* Cuts the interpreter's path out of a script's first line. */
static const char* interpreter_in(char* head) {
  char* path = head + 2 + strspn(head + 2, " \t");
  path[strcspn(path, " \t\r\n")] = '\0';
  return path;
}

bool hipcache_loads_library(const char* path) {
  char head[HEAD + 1];
  char of_interpreter[HEAD + 1];
  const size_t size = read_head(path, head);
  if (!is_script(head, size)) return loads(head, size);
  const size_t other = read_head(interpreter_in(head), of_interpreter);
  return !is_script(of_interpreter, other) && loads(of_interpreter, other);
}
