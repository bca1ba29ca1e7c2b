#include "trace/seen_digest.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>

/* FNV-1a plus a final mix, because FNV's upper bits hardly depend on the last bytes. */
uint64_t trace_digest_more(uint64_t before, const void* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) before = (before ^ ((const unsigned char*)bytes)[i]) * 1099511628211U;
  return before;
}

uint64_t trace_digest(const void* bytes, size_t size) {
  uint64_t value = trace_digest_more(TRACE_NO_CONTENT, bytes, size);
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdU;
  value ^= value >> 33;
  return value == 0 ? 1 : value;
}

uint64_t trace_digest_identity(const struct trace_identity* identity) {
  const uint64_t digest = trace_digest(identity, sizeof *identity) & ~(uint64_t)TRACE_MAY_CHANGE_UNSEEN;
  return digest == 0 ? TRACE_MAY_CHANGE_UNSEEN << 1 : digest;
}

/* An ELF note: three numbers, and the owner's name in four bytes (elf(5), Nhdr; NT_GNU_BUILD_ID is 3). */
int trace_has_build_id(const void* head, size_t size) {
  const char* bytes = head;
  if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0) return 0;
  for (size_t at = 0; at + sizeof(Elf64_Nhdr) + sizeof ELF_NOTE_GNU <= size; at += sizeof(Elf64_Word)) {
    Elf64_Nhdr note;
    memcpy(&note, bytes + at, sizeof note);
    if (note.n_namesz == sizeof ELF_NOTE_GNU && note.n_type == NT_GNU_BUILD_ID && note.n_descsz > 0 &&
        memcmp(bytes + at + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return 1;
  }
  return 0;
}

enum trace_entry trace_entry_of(uint32_t mode, int64_t size) {
  if (S_ISDIR(mode)) return TRACE_DIRECTORY;
  if (S_ISLNK(mode)) return TRACE_SYMBOLIC_LINK;
  if (!S_ISREG(mode)) return TRACE_OTHER;
  if ((mode & S_IXUSR) != 0) return size > 0 ? TRACE_EXECUTABLE : TRACE_EMPTY_PROGRAM;
  return size > 0 ? TRACE_FILE : TRACE_EMPTY_FILE;
}
