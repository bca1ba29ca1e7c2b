#define _GNU_SOURCE
#include "hipcache/launcher/daemon_address.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "launcher/text.h"

struct launch_view launch_own_view(void) {
  struct stat mounts;
  struct stat root;
  if (stat("/proc/self/ns/mnt", &mounts) != 0 || stat("/", &root) != 0) return (struct launch_view){0, 0, 0};
  return (struct launch_view){mounts.st_ino, root.st_dev, root.st_ino};
}

struct launch_view launch_outer_view(const struct launch_view* view) {
  return (struct launch_view){0, view->root_device, view->root_inode};
}

static uint32_t number_of(const struct launch_view* view) {
  const uint64_t parts[] = {view->mount_namespace, view->root_device, view->root_inode};
  uint32_t number = 2166136261U;
  for (unsigned index = 0; index < 24; ++index) {
    number ^= (uint32_t)(parts[index / 8] >> 8 * (index % 8)) & 0xFFU;
    number *= 16777619U;
  }
  return number;
}

void launch_daemon_name(const struct launch_view* view, uid_t user, char name[LAUNCH_NAME_SIZE]) {
  const uint32_t number = number_of(view);
  char digits[LAUNCH_VIEW_DIGITS];
  for (unsigned digit = 0; digit < LAUNCH_VIEW_DIGITS; ++digit)
    digits[digit] = "0123456789abcdef"[number >> 4 * (LAUNCH_VIEW_DIGITS - 1 - digit) & 0xFU];
  struct launch_text text = launch_empty_text(name, LAUNCH_NAME_SIZE);
  if (view->mount_namespace == 0) launch_add(&text, ".");
  launch_add_number(&text, user);
  launch_add(&text, "-");
  launch_add_part(&text, digits, sizeof digits);
}

bool launch_socket_path(const char* cache_directory, const struct launch_view* view, uid_t user, char path[PATH_MAX]) {
  char name[LAUNCH_NAME_SIZE];
  launch_daemon_name(view, user, name);
  struct launch_text text = launch_empty_text(path, PATH_MAX);
  launch_add(&text, cache_directory);
  launch_add_name(&text, name);
  launch_add_name(&text, LAUNCH_SOCKET_NAME);
  return !text.overflow;
}

bool launch_mark_path(const char* socket_path, char mark[PATH_MAX]) {
  const char* dot = strrchr(socket_path, '.');
  struct launch_text text = launch_empty_text(mark, PATH_MAX);
  launch_add_part(&text, socket_path, dot == NULL ? strlen(socket_path) : (size_t)(dot - socket_path));
  launch_add(&text, ".hung");
  return !text.overflow;
}

static bool connect_within(int fd, const struct sockaddr_un* address, const struct timeval* limit) {
  if (fd <= STDERR_FILENO) {
    errno = EBADF;
    return false;
  }
  if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, limit, sizeof *limit) != 0) return false;
  while (connect(fd, (const struct sockaddr*)address, sizeof *address) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

int launch_connect(const char* path, const struct timeval* limit) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, path, strlen(path) + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect_within(fd, &address, limit)) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

bool launch_peer_user(int socket, uid_t* user) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  *user = peer.uid;
  return true;
}
