#define _GNU_SOURCE
#include "launcher/connection.h"

#include <poll.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hipcache/launcher/cache_location.h"
#include "hipcache/launcher/daemon_address.h"

/* A hit usually has its reply within MOMENT_MS. A slower reply is mostly a miss, which the full client handles. */
enum { MOMENT_MS = 50, REPLY_MS = 250, REST_MS = 1000 };

/* The kernel passes the user's id to each program: no system call. */
static uid_t own_user(void) { return (uid_t)getauxval(AT_EUID); }

bool launch_own_socket(const struct launch_view* view, char path[PATH_MAX]) {
  char cache[PATH_MAX];
  return launch_locate(&launch_cache_directory, launch_lookup_in_process, NULL, cache) <= LAUNCH_BELOW_HOME &&
         launch_socket_path(cache, view, own_user(), path);
}

static bool send_all(int socket, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= (size_t)sent;
  }
  return true;
}

int launch_send_request(const char* path, const char* frame, size_t size) {
  const struct timeval limit = {0, REPLY_MS * 1000};
  const int fd = launch_connect(path, &limit);
  if (fd < 0) return -1;
  uid_t user;
  if (launch_peer_user(fd, &user) && user == own_user() && send_all(fd, frame, size)) return fd;
  close(fd);
  return -1;
}

static bool is_readable(int socket, int limit_ms) {
  struct pollfd waited = {socket, POLLIN, 0};
  return poll(&waited, 1, limit_ms) == 1;
}

/* The full client checks the mark's age and owner. */
static bool is_marked(const char* path) {
  char mark[PATH_MAX];
  return launch_mark_path(path, mark) && access(mark, F_OK) == 0;
}

/* The sender writes at least these bytes at once: the frame header and the tag of the message. */
enum { BEGINNING = HIPCACHE_FRAME_HEADER + 1 };

enum launch_reply launch_hears(int socket, const char* path, size_t limit, struct launch_frame* frame) {
  char beginning[BEGINNING];
  if (!is_readable(socket, MOMENT_MS) && (is_marked(path) || !is_readable(socket, REPLY_MS))) return LAUNCH_OTHER_REPLY;
  if (recv(socket, beginning, sizeof beginning, MSG_PEEK | MSG_DONTWAIT) != BEGINNING) return LAUNCH_OTHER_REPLY;
  const bool fits = launch_get_header(beginning, frame) && frame->size > 0 && frame->size <= limit &&
                    frame->descriptors <= HIPCACHE_DESCRIPTOR_LIMIT;
  return fits ? launch_reply_of(beginning[HIPCACHE_FRAME_HEADER]) : LAUNCH_OTHER_REPLY;
}

bool launch_peek(int socket, const struct launch_frame* frame, char* header_and_message) {
  const size_t size = HIPCACHE_FRAME_HEADER + frame->size;
  return recv(socket, header_and_message, size, MSG_PEEK | MSG_DONTWAIT) == (ssize_t)size;
}

/* Descriptors arrive with the first byte of the header. On failure they stay open; exec closes them. */
static ssize_t receive_first(int socket, const struct launch_frame* frame, char* message, int* descriptors) {
  char header[HIPCACHE_FRAME_HEADER];
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * HIPCACHE_DESCRIPTOR_LIMIT)];
  struct iovec pieces[] = {{header, sizeof header}, {message, frame->size}};
  struct msghdr envelope = {
      .msg_iov = pieces, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
  const ssize_t got = recvmsg(socket, &envelope, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < (ssize_t)sizeof header || (envelope.msg_flags & MSG_CTRUNC) != 0) return -1;
  if (launch_get_descriptors(&envelope, descriptors) != frame->descriptors) return -1;
  return got - (ssize_t)sizeof header;
}

bool launch_receive(int socket, const struct launch_frame* frame, char* message,
                    int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]) {
  ssize_t got = receive_first(socket, frame, message, descriptors);
  if (got < 0) return false;
  for (size_t used = (size_t)got; used < frame->size; used += (size_t)got) {
    if (!is_readable(socket, REST_MS)) return false;
    got = recv(socket, message + used, frame->size - used, MSG_DONTWAIT);
    if (got <= 0) return false;
  }
  return true;
}
