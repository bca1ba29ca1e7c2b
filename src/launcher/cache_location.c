#define _GNU_SOURCE
#include "hipcache/launcher/cache_location.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "launcher/home.h"
#include "launcher/text.h"

const struct launch_location launch_cache_directory = {
    .variable = "HIPCACHE_DIR", .xdg = "XDG_CACHE_HOME", .below_home = ".cache", .name = "hipcache"};

const char* launch_lookup_in_process(void* context, const char* name) {
  (void)context;
  return getenv(name);
}

static bool is_set(const char* value) { return value != NULL && value[0] != '\0'; }

static bool add_absolute(struct launch_text* path, const char* directory) {
  if (directory[0] != '/') {
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) return false;
    launch_add(path, here);
    launch_add_name(path, directory);
  } else {
    launch_add(path, directory);
  }
  return true;
}

bool launch_home(launch_lookup variable, void* context, char home[PATH_MAX]) {
  const char* value = variable(context, "HOME");
  if (!is_set(value)) return launch_home_in("/etc/passwd", geteuid(), home);
  struct launch_text text = launch_empty_text(home, PATH_MAX);
  launch_add(&text, value);
  return true; /* too long a value gives too long a path */
}

enum launch_located launch_locate(const struct launch_location* location, launch_lookup variable, void* context,
                                  char path[PATH_MAX]) {
  enum launch_located located = LAUNCH_CHOSEN;
  bool known = true;
  struct launch_text text = launch_empty_text(path, PATH_MAX);
  const char* value = variable(context, location->variable);
  if (is_set(value)) return add_absolute(&text, value) && !text.overflow ? LAUNCH_CHOSEN : LAUNCH_NO_PATH;
  value = variable(context, location->xdg);
  if (is_set(value) && value[0] == '/') {
    launch_add(&text, value);
  } else {
    char home[PATH_MAX] = "";
    if (!launch_home(variable, context, home)) return LAUNCH_NO_HOME;
    located = LAUNCH_BELOW_HOME;
    known = home[0] != '\0' && add_absolute(&text, home);
    launch_add_name(&text, location->below_home);
  }
  launch_add_name(&text, location->name);
  return known && !text.overflow ? located : LAUNCH_NO_PATH;
}
