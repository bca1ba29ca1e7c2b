/* Puts the outputs of a finished request where the compiler would have put them, and prints what it
 * would have printed.
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

struct launch_text_part {
  const char* bytes;
  size_t size;
};

/* All that a finished request leaves. Owns nothing. */
struct launch_delivery {
  const struct launch_output* outputs;
  size_t output_count;
  /* Files that the compiler would have removed. What is gone already, or is no writable regular
   * file, is left. */
  const char* const* removed;
  size_t removed_count;
  struct launch_text_part out; /* for stdout */
  struct launch_text_part err; /* for stderr */
};

struct launch_failure {
  const char* what;
  const char* path;
  int error; /* an errno */
};

/* Places the outputs, removes files, and then prints. On false the caller runs the compiler. With
 * -E or `-o -` the text of stdout is the output: if it cannot be written (a full disk), the compiler
 * then fails in its own words. What had room of the text may then be there twice. A failure to print
 * messages is ignored: it must not fail the compile once its outputs are in place. */
bool launch_deliver(const struct launch_delivery* delivery, struct launch_failure* failure);

#ifdef __cplusplus
}
#endif

#endif
