#define _GNU_SOURCE
#include "launcher/connection.h"

#include <poll.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "launcher/finish_decoder.h"

/* A hit is usually answered within MOMENT_MS. A slower reply is mostly a miss, which the full client handles. */
enum { MOMENT_MS = 50, ANSWER_MS = 250, PATIENCE_MS = 1000 };

static bool is_of_this_user(int socket) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getauxval(AT_EUID);
}

int launch_connect(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, strlen(path) + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  /* If a standard stream is closed, the socket could get its number. The full client opens /dev/null in its place
   * first. */
  const struct timeval timeouts = {0, ANSWER_MS * 1000};
  if (fd > STDERR_FILENO && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeouts, sizeof timeouts) == 0 &&
      connect(fd, (const struct sockaddr*)&address, sizeof address) == 0 && is_of_this_user(fd))
    return fd;
  close(fd);
  return -1;
}

bool launch_send(int socket, const char* frame, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, frame, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    frame += sent;
    size -= (size_t)sent;
  }
  return true;
}

static bool is_readable(int socket, int limit_ms) {
  struct pollfd waited = {socket, POLLIN, 0};
  return poll(&waited, 1, limit_ms) == 1;
}

/* The path of the mark: "daemon.hung" beside "daemon.sock". The full client checks its age and owner. */
static bool is_marked(const char* path) {
  static const char kMark[] = "hung";
  char mark[PATH_MAX];
  const size_t length = strlen(path);
  if (length < sizeof kMark || length >= sizeof mark) return false;
  memcpy(mark, path, length + 1);
  memcpy(mark + length - strlen(kMark), kMark, sizeof kMark);
  return access(mark, F_OK) == 0;
}

static uint32_t number_at(const char* bytes) {
  uint32_t number = 0;
  for (unsigned byte = 0; byte < 4; ++byte) number |= (uint32_t)(unsigned char)bytes[byte] << 8 * byte;
  return number;
}

/* The sender writes at least these bytes at once: the frame header and the tag of the message. */
enum { BEGINNING = HIPCACHE_FRAME_HEADER + 1 };

bool launch_hears_finish(int socket, const char* path, size_t limit, struct launch_frame* frame) {
  char beginning[BEGINNING];
  if (!is_readable(socket, MOMENT_MS) && (is_marked(path) || !is_readable(socket, ANSWER_MS))) return false;
  if (recv(socket, beginning, sizeof beginning, MSG_PEEK | MSG_DONTWAIT) != BEGINNING) return false;
  if (number_at(beginning) != HIPCACHE_FRAME_MAGIC) return false;
  frame->size = number_at(beginning + 4);
  frame->descriptors = number_at(beginning + 8);
  return frame->size > 0 && frame->size <= limit && frame->descriptors <= HIPCACHE_DESCRIPTOR_LIMIT &&
         launch_begins_finish(beginning[HIPCACHE_FRAME_HEADER]);
}

/* On failure the received descriptors stay open; exec closes them. */
static bool take_descriptors(struct msghdr* envelope, uint32_t announced, int* descriptors) {
  uint32_t count = 0;
  if ((envelope->msg_flags & MSG_CTRUNC) != 0) return false;
  for (struct cmsghdr* carried = CMSG_FIRSTHDR(envelope); carried != NULL; carried = CMSG_NXTHDR(envelope, carried)) {
    if (carried->cmsg_level != SOL_SOCKET || carried->cmsg_type != SCM_RIGHTS) continue;
    const size_t more = (carried->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (more > announced - count) return false;
    memcpy(descriptors + count, CMSG_DATA(carried), more * sizeof(int));
    count += (uint32_t)more;
  }
  return count == announced;
}

/* Descriptors arrive with the first byte of the header. */
static ssize_t receive_first(int socket, const struct launch_frame* frame, char* message, int* descriptors) {
  char header[HIPCACHE_FRAME_HEADER];
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * HIPCACHE_DESCRIPTOR_LIMIT)];
  struct iovec pieces[] = {{header, sizeof header}, {message, frame->size}};
  struct msghdr envelope = {
      .msg_iov = pieces, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
  const ssize_t got = recvmsg(socket, &envelope, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < (ssize_t)sizeof header || !take_descriptors(&envelope, frame->descriptors, descriptors)) return -1;
  return got - (ssize_t)sizeof header;
}

bool launch_receive(int socket, const struct launch_frame* frame, char* message,
                    int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]) {
  ssize_t got = receive_first(socket, frame, message, descriptors);
  if (got < 0) return false;
  for (size_t used = (size_t)got; used < frame->size; used += (size_t)got) {
    if (!is_readable(socket, PATIENCE_MS)) return false;
    got = recv(socket, message + used, frame->size - used, MSG_DONTWAIT);
    if (got <= 0) return false;
  }
  return true;
}
