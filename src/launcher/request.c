#include "launcher/request.h"

#include <string.h>

#include "hipcache/protocol/frame.h"
#include "launcher/wire.h"

/* A length written before it is known uses the widest encoding. protobuf accepts such an overlong varint. */
enum { LENGTH_SIZE = 4 };

struct writer {
  char* bytes;
  size_t room;
  size_t used;
  bool overflow;
};

static void put(struct writer* to, const char* bytes, size_t size) {
  if (to->overflow || size > to->room - to->used) {
    to->overflow = true;
    return;
  }
  memcpy(to->bytes + to->used, bytes, size);
  to->used += size;
}

static void put_varint(struct writer* to, uint64_t number) {
  char bytes[10];
  size_t size = 0;
  for (; number >= 0x80; number >>= 7) bytes[size++] = (char)(number | 0x80);
  bytes[size++] = (char)number;
  put(to, bytes, size);
}

static void put_number(struct writer* to, unsigned field, uint64_t number) {
  put_varint(to, LAUNCH_TAG(field, WIRE_NUMBER));
  put_varint(to, number);
}

static void put_text(struct writer* to, unsigned field, const char* text) {
  const size_t size = strlen(text);
  put_varint(to, LAUNCH_TAG(field, WIRE_BYTES));
  put_varint(to, size);
  put(to, text, size);
}

static void put_texts(struct writer* to, unsigned field, char* const* texts) {
  for (; texts != NULL && *texts != NULL; ++texts) put_text(to, field, *texts);
}

/* Reserves room for the length, which end_message() fills in. */
static size_t begin_message(struct writer* to, unsigned field) {
  static const char kPlace[LENGTH_SIZE] = {0};
  put_varint(to, LAUNCH_TAG(field, WIRE_BYTES));
  put(to, kPlace, sizeof kPlace);
  return to->used;
}

static void end_message(struct writer* to, size_t begin) {
  size_t size = to->used - begin;
  if (to->overflow || size >> 7 * LENGTH_SIZE != 0) {
    to->overflow = true;
    return;
  }
  for (unsigned byte = 0; byte < LENGTH_SIZE; ++byte, size >>= 7) {
    to->bytes[begin - LENGTH_SIZE + byte] = (char)((size & 0x7F) | (byte + 1 < LENGTH_SIZE ? 0x80 : 0));
  }
}

static void put_header(char* header, uint32_t length) {
  const uint32_t numbers[] = {HIPCACHE_FRAME_MAGIC, length, 0};
  for (unsigned byte = 0; byte < HIPCACHE_FRAME_HEADER; ++byte)
    header[byte] = (char)(numbers[byte / 4] >> 8 * (byte % 4));
}

size_t launch_encode_request(const struct launch_request* request, char* frame, size_t room) {
  if (room < HIPCACHE_FRAME_HEADER) return 0;
  struct writer to = {frame, room, HIPCACHE_FRAME_HEADER, false};
  const size_t message = begin_message(&to, ENVELOPE_COMPILE_REQUEST);
  put_text(&to, REQUEST_BUILD, request->build);
  put_texts(&to, REQUEST_ARGV, request->argv);
  put_texts(&to, REQUEST_ENVIRONMENT, request->environment);
  put_text(&to, REQUEST_WORKING_DIRECTORY, request->directory);
  const size_t mount_view = begin_message(&to, REQUEST_MOUNT_VIEW);
  put_number(&to, NAMESPACE_MOUNTS, request->mount_namespace);
  put_number(&to, NAMESPACE_ROOT_DEVICE, request->root_device);
  put_number(&to, NAMESPACE_ROOT_INODE, request->root_inode);
  end_message(&to, mount_view);
  put_number(&to, REQUEST_UMASK, request->umask);
  put_number(&to, REQUEST_STDERR_IS_TERMINAL, request->stderr_is_terminal ? 1 : 0);
  end_message(&to, message);
  if (to.overflow) return 0;
  put_header(frame, (uint32_t)(to.used - HIPCACHE_FRAME_HEADER));
  return to.used;
}
