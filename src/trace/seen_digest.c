#include "trace/seen_digest.h"

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

enum trace_entry trace_entry_of(uint32_t mode, int64_t size) {
  if (S_ISDIR(mode)) return TRACE_DIRECTORY;
  if (S_ISLNK(mode)) return TRACE_SYMBOLIC_LINK;
  if (!S_ISREG(mode)) return TRACE_OTHER;
  if ((mode & S_IXUSR) != 0) return size > 0 ? TRACE_EXECUTABLE : TRACE_EMPTY_PROGRAM;
  return size > 0 ? TRACE_FILE : TRACE_EMPTY_FILE;
}
