#define _GNU_SOURCE
#include "hipcache/launcher/compiler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/text.h"

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

bool launch_is_our_name(const char* path) { return strncmp(base_name(path), "hipcache", strlen("hipcache")) == 0; }

static bool own_path(char path[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length <= 0 || length == PATH_MAX || path[0] != '/') return false;
  path[length] = '\0';
  return true;
}

bool launch_beside_us(const char* name, char path[PATH_MAX]) {
  if (!own_path(path)) return false;
  const size_t end = (size_t)(base_name(path) - path);
  struct launch_text text = {path, PATH_MAX, end, false};
  launch_add(&text, name);
  return !text.overflow;
}

/* The running program and its two siblings `hipcache` and `hipcache-client`, as far as `stat` finds them. */
struct own_files {
  struct stat status[3];
  size_t count;
};

static const struct own_files* own_files(void) {
  static struct own_files ours;
  char path[PATH_MAX];
  if (ours.count > 0 || !own_path(path)) return &ours;
  if (stat(path, &ours.status[ours.count]) == 0) ++ours.count;
  char* name = path + (base_name(path) - path);
  char running[PATH_MAX];
  memcpy(running, name, strlen(name) + 1);
  static const char* const names[] = {"hipcache", "hipcache-client"};
  for (size_t index = 0; index < sizeof names / sizeof *names; ++index) {
    if (strcmp(names[index], running) == 0 || strlen(names[index]) >= PATH_MAX - (size_t)(name - path)) continue;
    memcpy(name, names[index], strlen(names[index]) + 1);
    if (stat(path, &ours.status[ours.count]) == 0) ++ours.count;
  }
  return &ours;
}

static bool is_ours(const struct stat* program) {
  const struct own_files* ours = own_files();
  for (size_t index = 0; index < ours->count; ++index) {
    if (ours->status[index].st_dev == program->st_dev && ours->status[index].st_ino == program->st_ino) return true;
  }
  return false;
}

static bool is_program(const char* path, struct stat* status) {
  return stat(path, status) == 0 && S_ISREG(status->st_mode) && access(path, X_OK) == 0;
}

enum whose { ANYBODYS, NOT_OURS };

/* The first program of that name in PATH. */
static bool search(const char* name, enum whose whose, char path[PATH_MAX], struct stat* status) {
  const char* entry = getenv("PATH");
  if (entry == NULL) entry = "/bin:/usr/bin"; /* the default of execvp */
  for (;;) {
    const size_t length = strcspn(entry, ":");
    struct launch_text text = launch_text(path, PATH_MAX);
    if (length == 0 || entry[0] != '/') launch_add(&text, length == 0 ? "." : "./");
    launch_add_part(&text, entry, length);
    if (path[0] == '\0' || path[text.used - 1] != '/') launch_add(&text, "/");
    launch_add(&text, name);
    if (!text.overflow && is_program(path, status) && (whose == ANYBODYS || !is_ours(status))) return true;
    if (entry[length] == '\0') return false;
    entry += length + 1;
  }
}

static bool find(const char* name, char path[PATH_MAX], struct stat* status) {
  if (name[0] == '\0') return false;
  return strchr(name, '/') != NULL ? is_program(name, status) : search(name, ANYBODYS, path, status);
}

static void describe_missing(const char* name, struct launch_command* command) {
  struct launch_text text = launch_text(command->problem, sizeof command->problem);
  launch_add(&text, name == NULL ? "no compiler given" : "could not find compiler \"");
  if (name == NULL) return;
  launch_add(&text, name);
  launch_add(&text, strchr(name, '/') == NULL ? "\" in PATH" : "\"");
}

void launch_find_compiler(char** words, struct launch_command* command) {
  command->words = NULL;
  for (; *words != NULL; ++words) {
    struct stat status;
    if (!find(words[0], command->path, &status)) {
      describe_missing(words[0], command);
      return;
    }
    if (is_ours(&status)) {
      if (launch_is_our_name(words[0])) continue;
      const char* name = base_name(words[0]);
      if (!search(name, NOT_OURS, command->path, &status)) {
        describe_missing(name, command);
        return;
      }
      words[0] = command->path;
    }
    command->words = words;
    return;
  }
  describe_missing(NULL, command);
}
