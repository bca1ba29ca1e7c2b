/* Calls that libc answers from elsewhere: users and groups, hosts, and what no record can describe. The last are
 * recorded as unknown, so the run is not recorded. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/preload/internal.h"

#define REFUSE(type, name, detail, parameters, arguments) \
  TRACE_HOOK(name);                                       \
  TRACE_EXPORT type name parameters {                     \
    trace_unknown(#name, detail);                         \
    return TRACE_REAL(name) arguments;                    \
  }
REFUSE(int, name_to_handle_at, path,
       (int directory, const char* path, struct file_handle* handle, int* mount, int flags),
       (directory, path, handle, mount, flags))
REFUSE(int, open_by_handle_at, "a handle", (int mount, struct file_handle* handle, int flags), (mount, handle, flags))
REFUSE(int, inotify_add_watch, path, (int fd, const char* path, uint32_t mask), (fd, path, mask))
REFUSE(int, fanotify_mark, path != NULL ? path : "",
       (int fd, unsigned flags, uint64_t mask, int directory, const char* path), (fd, flags, mask, directory, path))
REFUSE(int, shm_open, path, (const char* path, int flags, mode_t mode), (path, flags, mode))
REFUSE(char*, getlogin, "", (void), ())
REFUSE(int, getlogin_r, "", (char* name, size_t size), (name, size))
REFUSE(long, gethostid, "", (void), ())

/* libc opens these connections itself. */
#define NETWORK(type, name, parameters, arguments)         \
  TRACE_HOOK(name);                                        \
  TRACE_EXPORT type name parameters {                      \
    trace_emit(TRACE_NETWORK, true, "the name of a host"); \
    return TRACE_REAL(name) arguments;                     \
  }
NETWORK(int, getaddrinfo,
        (const char* host, const char* service, const struct addrinfo* hints, struct addrinfo** found),
        (host, service, hints, found))
NETWORK(struct hostent*, gethostbyname, (const char* host), (host))

/* Records the list of users or groups. If a service answers instead, its module connects, and a hook records that. */
static void saw_users(const char* list) {
  if (!trace_active()) return;
  trace_saw_file("/etc/nsswitch.conf");
  trace_saw_file(list);
  trace_libraries();
  if (trace_saw_there("/run/nscd/socket")) trace_unknown("nscd", list);
}

#define USERS(type, name, list, parameters, arguments) \
  TRACE_HOOK(name);                                    \
  TRACE_EXPORT type name parameters {                  \
    type result = TRACE_REAL(name) arguments;          \
    saw_users(list);                                   \
    return result;                                     \
  }
#define PASSWD "/etc/passwd"
#define GROUP "/etc/group"
USERS(struct passwd*, getpwnam, PASSWD, (const char* user), (user))
USERS(struct passwd*, getpwuid, PASSWD, (uid_t user), (user))
USERS(struct passwd*, getpwent, PASSWD, (void), ())
USERS(int, getpwnam_r, PASSWD,
      (const char* user, struct passwd* entry, char* buffer, size_t size, struct passwd** found),
      (user, entry, buffer, size, found))
USERS(int, getpwuid_r, PASSWD, (uid_t user, struct passwd* entry, char* buffer, size_t size, struct passwd** found),
      (user, entry, buffer, size, found))
USERS(struct group*, getgrnam, GROUP, (const char* group), (group))
USERS(struct group*, getgrgid, GROUP, (gid_t group), (group))
USERS(struct group*, getgrent, GROUP, (void), ())
USERS(int, getgrnam_r, GROUP, (const char* group, struct group* entry, char* buffer, size_t size, struct group** found),
      (group, entry, buffer, size, found))
USERS(int, getgrgid_r, GROUP, (gid_t group, struct group* entry, char* buffer, size_t size, struct group** found),
      (group, entry, buffer, size, found))
