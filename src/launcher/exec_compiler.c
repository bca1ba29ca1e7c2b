#define _GNU_SOURCE
#include "hipcache/launcher/exec_compiler.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "launcher/text.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

int launch_exec_compiler(char* const* words) {
  execvp(words[0], words);
  return launch_cannot_run(words[0]);
}

int launch_cannot_run(const char* program) {
  const int error = errno;
  char why[128];
  struct launch_text text = launch_empty_text(why, sizeof why);
  launch_add(&text, ": ");
  launch_add(&text, strerror(error));
  launch_print_error("cannot run ", program, why);
  return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

void launch_print_error(const char* before, const char* name, const char* after) {
  const char* const parts[] = {"hipcache: error: ", before, name, after, "\n"};
  enum { COUNT = sizeof parts / sizeof *parts };
  struct iovec pieces[COUNT];
  for (unsigned index = 0; index < COUNT; ++index)
    pieces[index] = (struct iovec){(void*)parts[index], strlen(parts[index])};
  while (writev(STDERR_FILENO, pieces, COUNT) < 0 && errno == EINTR) {
  }
}
