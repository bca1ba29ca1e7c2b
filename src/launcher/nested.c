#define _GNU_SOURCE
#include "hipcache/launcher/nested.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hipcache/launcher/frame.h"

#define TRACE "HIPCACHE_TRACE"

/* Kinds of records. The text of one has TEXT_LIMIT bytes at most. */
enum { PROGRAM = 1, LOOK = 5, EXECUTE = 11, END = 14, TEXT_LIMIT = 4096 };

static bool has_failed; /* one thread */

static bool has_word(char* const* words, const char* sought) {
  for (; *words != NULL; ++words) {
    if (strcmp(*words, sought) == 0) return true;
  }
  return false;
}

/* A file or a directory, an argument file, or standard input. */
static bool names_nothing(char* const* words) {
  for (; *words != NULL; ++words) {
    if (words[0][0] != '-' || words[0][1] == '\0') return false;
  }
  return true;
}

/* The value has the form BUILD:LENGTH:DIRECTORYOBJECT, where LENGTH is that of DIRECTORY. */
bool launch_is_nested(char* const* words) {
  const char* outer = getenv(HIPCACHE_OUTER);
  const char* trace = getenv(TRACE);
  if (outer == NULL || trace == NULL || trace[0] != '/' || words[0] == NULL) return false;
  const size_t build = strlen(HIPCACHE_BUILD);
  if (strncmp(outer, HIPCACHE_BUILD, build) != 0 || outer[build] != ':') return false;
  char* directory = NULL;
  const unsigned long length = strtoul(outer + build + 1, &directory, 10);
  if (*directory != ':' || strlen(++directory) < length) return false;
  const char* ours = getenv("HIPCACHE_DIR");
  if (ours == NULL) ours = "";
  if (strlen(ours) != length || strncmp(directory, ours, length) != 0) return false;
  const char* object = directory + length;
  return names_nothing(words + 1) || (object[0] != '\0' && has_word(words + 1, object));
}

/* Each record is one write to a file opened for appending, so records of several processes do not mix. */
static void record(uint8_t kind, bool found, const char* text) {
  const size_t length = strlen(text);
  char bytes[16 + TEXT_LIMIT] = {(char)kind, (char)(found ? 1 : 0)};
  const int file = open(getenv(TRACE), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0 || length > TEXT_LIMIT) {
    has_failed = true;
  } else {
    for (size_t byte = 0; byte < 4; ++byte) bytes[4 + byte] = (char)(length >> (8 * byte));
    memcpy(bytes + 16, text, length);
    has_failed = write(file, bytes, 16 + length) != (ssize_t)(16 + length) || has_failed;
  }
  if (file >= 0) close(file);
}

void launch_record_look(const char* path, bool found) { record(LOOK, found, path); }

bool launch_record_compiler(const char* compiler) {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || (size_t)length == sizeof self) return false;
  self[length] = '\0';
  record(PROGRAM, true, self);
  if (!has_failed) record(EXECUTE, true, compiler);
  if (!has_failed) record(END, true, "");
  return !has_failed;
}
