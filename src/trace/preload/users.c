/* Look-ups of users and groups by name or number. libc reads their files by itself. */
#define _GNU_SOURCE
#include <grp.h>
#include <pwd.h>
#include <stddef.h>

#include "trace/preload/internal.h"

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
