/* Puts the outputs of a finished request where the compiler would have put them.
 *
 * An object is written into a file without a name, which then takes its place, so that readers see the old or the new,
 * and a process that is killed leaves nothing; a depfile is written in place, as compilers do. Signals are held back
 * until all outputs are in place. Where the file system has no files without a name (NFS), the object is written beside
 * its place and renamed; there, SIGKILL may leave "<output>.hipcache-<process>-<number>". Only regular files that may
 * be written are replaced: a device, a pipe or a write-protected file is the compiler's to handle. A failure may leave
 * some of the outputs in place: the compiler then writes them all itself. */
#ifndef HIPCACHE_LAUNCH_PLACE_H
#define HIPCACHE_LAUNCH_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct launch_output {
  const char* path;
  bool in_place;          /* what is there is written to (it keeps its mode and other names) rather than replaced */
  bool in_place_if_empty; /* the same for an empty file; any other is replaced */
  bool executable;        /* what is not there is made with the mode of a program */
  int file;               /* all of whose bytes are meant; -1: those below are */
  const char* bytes;
  size_t size;
};

struct launch_failure {
  const char* what;
  const char* path;
  int error; /* an errno */
};

bool launch_place(const struct launch_output* outputs, size_t count, struct launch_failure* failure);

/* What the compiler would have removed; what is gone already, or is no regular file that may be written, is left. */
bool launch_remove(const char* const* paths, size_t count, struct launch_failure* failure);

#ifdef __cplusplus
}
#endif

#endif
