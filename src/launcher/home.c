#define _GNU_SOURCE
#include "launcher/home.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { COLONS_BEFORE_USER = 2, COLONS_BEFORE_HOME = 5 };

/* The part of the line between its `colons`th colon and the next; false if there is none or it is too long. */
static bool field_of(const char* line, int colons, char field[PATH_MAX]) {
  for (; colons > 0; --colons) {
    line = strchr(line, ':');
    if (line == NULL) return false;
    ++line;
  }
  const size_t length = strcspn(line, ":");
  if (length >= PATH_MAX) return false;
  memcpy(field, line, length);
  field[length] = '\0';
  return true;
}

static bool is_number(const char* text, uid_t number) {
  unsigned long long value = 0;
  if (*text == '\0') return false;
  for (; *text >= '0' && *text <= '9' && value <= (uid_t)-1; ++text) value = value * 10 + (unsigned)(*text - '0');
  return *text == '\0' && value == number;
}

static bool is_home(const char* line, uid_t user, char home[PATH_MAX]) {
  return field_of(line, COLONS_BEFORE_USER, home) && is_number(home, user);
}

bool launch_home_in(const char* file, uid_t user, char home[PATH_MAX]) {
  char buffer[4096];
  char line[2 * PATH_MAX];
  size_t length = 0;
  bool found = false;
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  for (ssize_t size; fd >= 0 && !found && (size = read(fd, buffer, sizeof buffer)) > 0;) {
    for (ssize_t index = 0; index < size && !found; ++index) {
      if (buffer[index] != '\n') {
        if (length < sizeof line) line[length++] = buffer[index];
        continue;
      }
      line[length < sizeof line ? length : 0] = '\0'; /* a line that is too long counts as empty */
      found = is_home(line, user, home);
      length = 0;
    }
  }
  if (fd >= 0) close(fd);
  return found && field_of(line, COLONS_BEFORE_HOME, home) && home[0] == '/';
}
