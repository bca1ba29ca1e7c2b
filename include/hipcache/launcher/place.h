/* Puts the outputs of a finished request where the compiler would have put them.
 *
 * An object is written into a file without a name, which then takes its place. So readers see
 * the old or the new object, and a killed process leaves nothing behind. A depfile is written in
 * place, as compilers do. Signals are blocked until all outputs are in place. If the file system
 * has no unnamed files (NFS), the object is written beside its place and renamed; there SIGKILL
 * may leave "<output>.hipcache-<process>-<number>". Only writable regular files are replaced; a
 * device, a pipe or a write-protected file is left to the compiler. After a failure some outputs
 * may be in place: the compiler then writes all of them itself. */
#ifndef HIPCACHE_LAUNCHER_PLACE_H
#define HIPCACHE_LAUNCHER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct launch_output {
  const char* path;
  /* Write to an existing file, which keeps its mode and other names, instead of replacing it. */
  bool in_place;
  bool in_place_if_empty; /* the same for an empty file; any other is replaced */
  bool executable;        /* a new file gets the mode of a program */
  int file;               /* its complete contents are the output; -1: see `bytes` */
  const char* bytes;
  size_t size;
};

struct launch_failure {
  const char* what;
  const char* path;
  int error; /* an errno */
};

bool launch_place(const struct launch_output* outputs, size_t count, struct launch_failure* failure);

/* Removes files that the compiler would have removed. Leaves what is gone already, or is no
 * writable regular file. */
bool launch_remove(const char* const* paths, size_t count, struct launch_failure* failure);

#ifdef __cplusplus
}
#endif

#endif
