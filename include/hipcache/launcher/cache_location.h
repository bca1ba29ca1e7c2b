/* Where the cache directory is, by the variables that name it and by the XDG specification.
 *
 * In C, because the launcher is. src/config uses it for the configuration file as well, so that
 * launcher and client cannot look in different places. An empty variable counts as not set, and a
 * relative XDG_* is ignored, as the XDG specification says. Any other relative path is relative to
 * the working directory. Reads /etc/passwd if the path is below the home directory and HOME is not
 * set, and no other file. */
#ifndef HIPCACHE_LAUNCHER_CACHE_LOCATION_H
#define HIPCACHE_LAUNCHER_CACHE_LOCATION_H

#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A path, and the variables that may move it. */
struct launch_location {
  const char* variable;   /* names the path itself: HIPCACHE_DIR */
  const char* xdg;        /* else this names the directory that holds `name`: XDG_CACHE_HOME */
  const char* below_home; /* else this directory below HOME holds it: .cache */
  const char* name;       /* hipcache */
};

extern const struct launch_location launch_cache_directory;

/* The value of a variable, or NULL. It stays valid until the next call. */
typedef const char* (*launch_lookup)(void* context, const char* name);

const char* launch_lookup_in_process(void* context, const char* name); /* getenv */

enum launch_located {
  LAUNCH_CHOSEN,     /* a variable says so */
  LAUNCH_BELOW_HOME, /* the default below the home directory */
  LAUNCH_NO_HOME,    /* it would be below a home directory that neither HOME nor /etc/passwd names */
  LAUNCH_NO_PATH,    /* longer than PATH_MAX, or the working directory is unknown */
};

/* The home directory: HOME, else the directory that /etc/passwd gives the effective user. Users of a
 * service such as LDAP are not found there. Empty if HOME is longer than PATH_MAX. */
bool launch_home(launch_lookup variable, void* context, char home[PATH_MAX]);

/* Writes the absolute path if the result is one of the first two. */
enum launch_located launch_locate(const struct launch_location* location, launch_lookup variable, void* context,
                                  char path[PATH_MAX]);

#ifdef __cplusplus
}
#endif

#endif
