#define _GNU_SOURCE
#include "hipcache/launcher/frame.h"

#include <string.h>

static const uint32_t kMagic = 0x31434348U; /* "HCC1" as bytes */

static void put_number(char* bytes, uint32_t number) {
  for (unsigned byte = 0; byte < 4; ++byte) bytes[byte] = (char)(number >> 8 * byte);
}

static uint32_t number_at(const char* bytes) {
  uint32_t number = 0;
  for (unsigned byte = 0; byte < 4; ++byte) number |= (uint32_t)(unsigned char)bytes[byte] << 8 * byte;
  return number;
}

void launch_put_header(const struct launch_frame* frame, char header[HIPCACHE_FRAME_HEADER]) {
  put_number(header, kMagic);
  put_number(header + 4, frame->size);
  put_number(header + 8, frame->descriptors);
}

bool launch_get_header(const char header[HIPCACHE_FRAME_HEADER], struct launch_frame* frame) {
  *frame = (struct launch_frame){number_at(header + 4), number_at(header + 8)};
  return number_at(header) == kMagic;
}

size_t launch_get_descriptors(struct msghdr* envelope, int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]) {
  size_t count = 0;
  for (struct cmsghdr* carried = CMSG_FIRSTHDR(envelope); carried != NULL; carried = CMSG_NXTHDR(envelope, carried)) {
    if (carried->cmsg_level != SOL_SOCKET || carried->cmsg_type != SCM_RIGHTS) continue;
    const size_t more = (carried->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (more > HIPCACHE_DESCRIPTOR_LIMIT - count) break;
    memcpy(descriptors + count, CMSG_DATA(carried), more * sizeof(int));
    count += more;
  }
  return count;
}
