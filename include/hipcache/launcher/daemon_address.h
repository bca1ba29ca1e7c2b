/* Where the daemon of a user and a view of the file system listens, and how to reach it.
 *
 * A daemon proves results by looking at files, so it can only serve processes that see the same
 * files. There is one daemon for each user, mount namespace and root directory. The daemon's name
 * is part of its path, so a process finds its own daemon by looking at its namespace and root only.
 *
 * A process whose namespace has no daemon asks the one that offers itself to all namespaces of that
 * user and root directory, by a link of that name to its own directory. That daemon checks whether
 * the process sees the same files (src/daemon/request/foreign_mounts.h).
 *
 * In C, because the launcher is; client and daemon use it through hipcache/protocol/mount_view.h
 * and hipcache/protocol/channel.h. No state; any number of threads. */
#ifndef HIPCACHE_LAUNCHER_DAEMON_ADDRESS_H
#define HIPCACHE_LAUNCHER_DAEMON_ADDRESS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a process sees the file system. */
struct launch_view {
  uint64_t mount_namespace; /* inode of /proc/self/ns/mnt */
  uint64_t root_device;
  uint64_t root_inode;
};

/* All zero if the view is unknown: no daemon serves that. */
struct launch_view launch_own_view(void);

/* The view of any mount namespace with that root directory. */
struct launch_view launch_outer_view(const struct launch_view* view);

enum { LAUNCH_VIEW_DIGITS = 8, LAUNCH_NAME_SIZE = 32 };

/* "1000-5f3a9c21": the user, and a number of the view in hexadecimal. Of an outer view ".1000-5f3a9c21":
 * hidden, because whoever lists the directories of daemons (a script's "*") wants each once.
 *
 * Two views may share a number: the daemon also compares the full view, which comes with each
 * request. Only 32 bits, because the path of a socket has few bytes. FNV-1a. */
void launch_daemon_name(const struct launch_view* view, uid_t user, char name[LAUNCH_NAME_SIZE]);

/* The name of the socket in the daemon's directory. */
#define LAUNCH_SOCKET_NAME "daemon.sock"

/* <cache directory>/<daemon's name>/daemon.sock. False if it is longer than PATH_MAX. */
bool launch_socket_path(const char* cache_directory, const struct launch_view* view, uid_t user, char path[PATH_MAX]);

/* "daemon.hung" beside the socket: the mark that a client leaves when the daemon does not reply
 * (src/client/connection/daemon_silence.h). False if it is longer than PATH_MAX. */
bool launch_mark_path(const char* socket_path, char mark[PATH_MAX]);

/* A connected socket with close-on-exec, or -1 with errno. Waits at most `limit` for room in the
 * daemon's queue; errno is then EAGAIN. `limit` also bounds later sends. ENAMETOOLONG: the path
 * does not fit into a socket address. EBADF: a standard stream is closed, and the socket would get
 * its number; the full client therefore opens /dev/null there first. The caller checks the peer. */
int launch_connect(const char* path, const struct timeval* limit);

/* The user of the process at the other end. False with errno if it is unknown. */
bool launch_peer_user(int socket, uid_t* user);

#ifdef __cplusplus
}
#endif

#endif
