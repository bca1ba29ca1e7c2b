#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hipcache/protocol/mount_view_number.h"
#include "launcher/connection.h"
#include "launcher/text.h"

/* An empty variable counts as unset, as in the XDG specification. */
static const char* set_variable(const char* name) {
  const char* value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

static void add_below(struct launch_text* path, const char* name) {
  if (path->used > 0 && path->bytes[path->used - 1] != '/') launch_add(path, "/");
  launch_add(path, name);
}

/* A relative directory is relative to the working directory. */
static bool begin(struct launch_text* path, const char* directory) {
  if (directory[0] != '/') {
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) return false;
    launch_add(path, here);
  }
  add_below(path, directory);
  return true;
}

static bool add_cache_directory(struct launch_text* path) {
  const char* chosen = set_variable("HIPCACHE_DIR");
  if (chosen != NULL) return begin(path, chosen);
  const char* xdg = set_variable("XDG_CACHE_HOME");
  const char* home = set_variable("HOME");
  if (xdg != NULL && xdg[0] == '/') {
    launch_add(path, xdg);
  } else {
    if (home == NULL || !begin(path, home)) return false;
    add_below(path, ".cache");
  }
  add_below(path, "hipcache");
  return true;
}

/* The user id and a hash of the view: "1000-5f3a9c21". */
static void add_daemon_name(struct launch_text* path, const struct launch_view* view) {
  const uint32_t number = hipcache_view_number(view->mount_namespace, view->root_device, view->root_inode);
  char digits[8];
  for (unsigned digit = 0; digit < sizeof digits; ++digit)
    digits[digit] = "0123456789abcdef"[number >> 4 * (sizeof digits - 1 - digit) & 0xFU];
  launch_add_number(path, getauxval(AT_EUID));
  launch_add(path, "-");
  launch_add_part(path, digits, sizeof digits);
}

bool launch_own_view(struct launch_view* view) {
  struct stat mounts;
  struct stat root;
  if (stat("/proc/self/ns/mnt", &mounts) != 0 || stat("/", &root) != 0) return false;
  *view = (struct launch_view){mounts.st_ino, root.st_dev, root.st_ino};
  return true;
}

bool launch_socket_path(const struct launch_view* view, char path[PATH_MAX]) {
  struct launch_text text = launch_text(path, PATH_MAX);
  if (!add_cache_directory(&text)) return false;
  add_below(&text, "");
  add_daemon_name(&text, view);
  add_below(&text, "daemon.sock");
  return !text.overflow;
}
