#define _GNU_SOURCE
#include "hipcache/launcher/request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hipcache/launcher/frame.h"
#include "launcher/wire.h"

static char* put_digits(char* at, unsigned short number) {
  char digits[5];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) *at++ = digits[--count];
  return at;
}

static mode_t current_umask(void) {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

/* An empty file has no order of what is written to it. */
static bool are_one_file(int left, int right) {
  struct stat one, other;
  if (fstat(left, &one) != 0 || fstat(right, &other) != 0) return false;
  const bool is_null = S_ISCHR(one.st_mode) && isatty(left) != 1;
  return !is_null && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

void launch_describe_streams(char text[LAUNCH_STREAMS_LIMIT]) {
  char* at = text;
  bool any = false;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    struct winsize size;
    if (fd != STDIN_FILENO) *at++ = ',';
    if (ioctl(fd, TIOCGWINSZ, &size) != 0) continue;
    any = true;
    at = put_digits(at, size.ws_col);
    *at++ = 'x';
    at = put_digits(at, size.ws_row);
  }
  if (are_one_file(STDOUT_FILENO, STDERR_FILENO)) {
    any = true;
    *at++ = '=';
  }
  *(any ? at : text) = '\0';
}

/* The directory and PWD are mostly spelled the same. */
static bool pwd_leads_to(const char* directory) {
  const char* pwd = getenv("PWD");
  struct stat named, here;
  if (pwd == NULL || pwd[0] != '/' || strcmp(pwd, directory) == 0) return false;
  return stat(pwd, &named) == 0 && stat(".", &here) == 0 && named.st_dev == here.st_dev && named.st_ino == here.st_ino;
}

bool launch_own_request(char* const* argv, char directory[PATH_MAX], struct launch_request* request) {
  if (getcwd(directory, PATH_MAX) == NULL) return false;
  *request = (struct launch_request){
      .build = HIPCACHE_BUILD,
      .argv = argv,
      .environment = environ,
      .directory = directory,
      .view = launch_own_view(),
      .umask = current_umask(),
      .pwd_leads_here = pwd_leads_to(directory),
  };
  launch_describe_streams(request->streams);
  return true;
}

/* Counts all bytes, and writes those that fit. */
struct writer {
  char* bytes;
  size_t room;
  size_t used;
};

static void put(struct writer* to, const char* bytes, size_t size) {
  if (to->used <= to->room && size <= to->room - to->used) memcpy(to->bytes + to->used, bytes, size);
  to->used += size;
}

static void put_varint(struct writer* to, uint64_t number) {
  char bytes[10];
  size_t size = 0;
  for (; number >= 0x80; number >>= 7) bytes[size++] = (char)(number | 0x80);
  bytes[size++] = (char)number;
  put(to, bytes, size);
}

static void put_bytes(struct writer* to, unsigned field, const char* bytes, size_t size) {
  put_varint(to, LAUNCH_TAG(field, WIRE_BYTES));
  put_varint(to, size);
  put(to, bytes, size);
}

static void put_texts(struct writer* to, unsigned field, char* const* texts) {
  for (; texts != NULL && *texts != NULL; ++texts) put_bytes(to, field, *texts, strlen(*texts));
}

/* Protobuf leaves out a single field that is empty or zero. */
static void put_text(struct writer* to, unsigned field, const char* text) {
  if (text[0] != '\0') put_bytes(to, field, text, strlen(text));
}

static void put_number(struct writer* to, unsigned field, uint64_t number) {
  if (number == 0) return;
  put_varint(to, LAUNCH_TAG(field, WIRE_NUMBER));
  put_varint(to, number);
}

static void put_view(struct writer* to, const struct launch_view* view) {
  char bytes[64];
  struct writer fields = {bytes, sizeof bytes, 0};
  put_number(&fields, VIEW_MOUNT_NAMESPACE, view->mount_namespace);
  put_number(&fields, VIEW_ROOT_DEVICE, view->root_device);
  put_number(&fields, VIEW_ROOT_INODE, view->root_inode);
  put_bytes(to, REQUEST_MOUNT_VIEW, bytes, fields.used);
}

static void put_fields(struct writer* to, const struct launch_request* request) {
  put_text(to, REQUEST_BUILD, request->build);
  put_texts(to, REQUEST_ARGV, request->argv);
  put_texts(to, REQUEST_ENVIRONMENT, request->environment);
  put_text(to, REQUEST_WORKING_DIRECTORY, request->directory);
  put_view(to, &request->view);
  put_number(to, REQUEST_UMASK, request->umask);
  put_text(to, REQUEST_STREAMS, request->streams);
  put_number(to, REQUEST_PWD_LEADS_HERE, request->pwd_leads_here);
}

size_t launch_encode_request(const struct launch_request* request, char* frame, size_t room) {
  if (room < HIPCACHE_FRAME_HEADER) return 0;
  struct writer fields = {NULL, 0, 0}; /* counts: the size stands before the fields */
  put_fields(&fields, request);
  struct writer to = {frame, room, HIPCACHE_FRAME_HEADER};
  put_varint(&to, LAUNCH_TAG(ENVELOPE_COMPILE_REQUEST, WIRE_BYTES));
  put_varint(&to, fields.used);
  put_fields(&to, request);
  if (to.used > room) return 0;
  launch_put_header(&(struct launch_frame){.size = (uint32_t)(to.used - HIPCACHE_FRAME_HEADER)}, frame);
  return to.used;
}
