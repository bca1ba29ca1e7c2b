/* The home directory of a user, for when HOME is not set, as under systemd, cron and `env -i`.
 *
 * Reads the file as it is. Rejected: getpwuid. Launcher, client and daemon must find the same directory, and it asks
 * other services in glibc than in musl. Users of a service (LDAP, NIS, systemd-homed) are therefore not found. */
#ifndef HIPCACHE_SRC_LAUNCHER_HOME_H
#define HIPCACHE_SRC_LAUNCHER_HOME_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `file` has the form of /etc/passwd. False if it does not give the user an absolute directory; the first line of the
 * user counts. */
bool launch_home_in(const char* file, uid_t user, char home[PATH_MAX]);

#ifdef __cplusplus
}
#endif

#endif
