#define _GNU_SOURCE
#include "launcher/diagnostics.h"

#include <limits.h>
#include <unistd.h>

#include "launcher/text.h"

void launch_complain(const char* before, const char* name, const char* after) {
  char line[2 * PATH_MAX];
  struct launch_text text = launch_text(line, sizeof line);
  launch_add(&text, "hipcache: error: ");
  launch_add(&text, before);
  launch_add(&text, name);
  launch_add(&text, after);
  launch_add(&text, "\n");
  launch_write(STDERR_FILENO, line, text.used);
}
