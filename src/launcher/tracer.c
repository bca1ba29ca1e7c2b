#define _GNU_SOURCE
#include "hipcache/launcher/tracer.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "launcher/text.h"

pid_t launch_tracer(void) {
  static const char field[] = "\nTracerPid:\t";
  char status[512];                                   /* the field is one of the first, and none before it is long */
  const int fd = open("/proc/self/status", O_RDONLY); /* nothing is executed meanwhile; musl sets O_CLOEXEC by a call */
  if (fd < 0) return 0;
  const ssize_t size = read(fd, status, sizeof status - 1);
  close(fd);
  if (size <= 0) return 0;
  status[size] = '\0';
  const char* at = strstr(status, field);
  pid_t tracer = 0;
  for (at = at == NULL ? "" : at + sizeof field - 1; *at >= '0' && *at <= '9'; ++at) tracer = 10 * tracer + (*at - '0');
  return tracer;
}

static const char* const observers[] = {"strace", "ltrace", "gdb", "gdbserver", "lldb", "lldb-server", "rr"};

bool launch_only_observes(pid_t tracer) {
  char link[64];
  char program[PATH_MAX];
  struct launch_text text = launch_empty_text(link, sizeof link);
  launch_add(&text, "/proc/");
  launch_add_number(&text, (unsigned long)tracer);
  launch_add(&text, "/exe");
  const ssize_t length = readlink(link, program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  const char* slash = strrchr(program, '/');
  for (unsigned index = 0; slash != NULL && index < sizeof observers / sizeof *observers; ++index)
    if (strcmp(slash + 1, observers[index]) == 0) return true;
  return false;
}
