#define _GNU_SOURCE
#include "hipcache/launcher/compiler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hipcache/launcher/handoff.h"
#include "launcher/text.h"

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

bool launch_is_our_name(const char* path) {
  const char* name = base_name(path);
  if (strncmp(name, "hipcache", strlen("hipcache")) == 0) return true;
  return strcmp(name, "ccache") == 0 || strcmp(name, "sccache") == 0;
}

static bool own_path(char path[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length <= 0 || length == PATH_MAX || path[0] != '/') return false;
  path[length] = '\0';
  return true;
}

/* Replaces the last part of `path`, which is absolute and has no link, by `way`. Each "../" takes a directory away. */
static bool replace_name(char path[PATH_MAX], const char* way) {
  size_t end = (size_t)(base_name(path) - path);
  for (; strncmp(way, "../", 3) == 0; way += 3) {
    if (end > 1) --end;
    while (end > 1 && path[end - 1] != '/') --end;
  }
  struct launch_text text = {path, PATH_MAX, end, false};
  launch_add(&text, way);
  return !text.overflow;
}

bool launch_from_here(const char* way, char path[PATH_MAX]) { return own_path(path) && replace_name(path, way); }

/* The running program, and the other one of `hipcache` and `hipcache-client`, as far as `stat` finds them. */
struct own_files {
  struct stat status[2];
  size_t count;
};

static void add_file(const char* path, struct own_files* files) {
  if (stat(path, &files->status[files->count]) == 0) ++files->count;
}

static const struct own_files* own_files(void) {
  static struct own_files ours;
  char path[PATH_MAX];
  if (ours.count > 0 || !own_path(path)) return &ours;
  add_file(path, &ours);
  const bool is_client = strcmp(base_name(path), LAUNCH_CLIENT_PROGRAM) == 0;
  if (replace_name(path, is_client ? HIPCACHE_BIN_FROM_HELPERS "/hipcache" : LAUNCH_CLIENT_FROM_LAUNCHER))
    add_file(path, &ours);
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
    struct launch_text text = launch_empty_text(path, PATH_MAX);
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
  struct launch_text text = launch_empty_text(command->problem, sizeof command->problem);
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
