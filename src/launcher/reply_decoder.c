#include "launcher/reply_decoder.h"

#include <string.h>

#include "launcher/wire.h"

struct reader {
  char* at;
  char* end;
};

static bool get_varint(struct reader* from, uint64_t* number) {
  *number = 0;
  for (unsigned shift = 0; shift < 64 && from->at != from->end; shift += 7) {
    const unsigned char byte = (unsigned char)*from->at++;
    if (shift == 63 && byte > 1) return false;
    *number |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

static bool get_bytes(struct reader* from, struct reader* bytes) {
  uint64_t size = 0;
  if (!get_varint(from, &size) || size > (uint64_t)(from->end - from->at)) return false;
  *bytes = (struct reader){from->at, from->at + size};
  from->at += size;
  return true;
}

static bool get_part(struct reader* from, struct launch_text_part* part) {
  struct reader bytes;
  if (!get_bytes(from, &bytes)) return false;
  *part = (struct launch_text_part){bytes.at, (size_t)(bytes.end - bytes.at)};
  return true;
}

static bool get_flag(struct reader* from, bool* flag) {
  uint64_t number = 0;
  if (!get_varint(from, &number) || number > 1) return false;
  *flag = number == 1;
  return true;
}

/* Protobuf's sint32: the sign is the lowest bit. */
static bool get_signed(struct reader* from, int32_t* number) {
  uint64_t folded = 0;
  if (!get_varint(from, &folded) || folded > UINT32_MAX) return false;
  *number = (int32_t)((uint32_t)folded >> 1 ^ -((uint32_t)folded & 1));
  return true;
}

/* A path must be free of zeros. The terminating zero is written only after the whole message is decoded, because
 * until then the byte after the path belongs to the next field. */
static bool get_path(struct reader* from, struct reader* path) {
  return get_bytes(from, path) && path->at != path->end &&
         memchr(path->at, '\0', (size_t)(path->end - path->at)) == NULL;
}

/* Where paths end in the message: each gets a terminating zero. */
struct ends {
  char* at[LAUNCH_OUTPUT_LIMIT + LAUNCH_REMOVED_LIMIT];
  size_t count;
};

static bool get_output(struct reader from, struct launch_output* output, struct ends* ends) {
  *output = (struct launch_output){.file = 0};
  while (from.at != from.end) {
    uint64_t tag = 0;
    struct reader path;
    struct launch_text_part content;
    if (!get_varint(&from, &tag)) return false;
    switch (tag) {
      case LAUNCH_TAG(OUTPUT_PATH, WIRE_BYTES):
        if (output->path != NULL || !get_path(&from, &path)) return false;
        output->path = path.at;
        ends->at[ends->count++] = path.end;
        break;
      case LAUNCH_TAG(OUTPUT_IN_PLACE, WIRE_NUMBER):
        if (!get_flag(&from, &output->in_place)) return false;
        break;
      case LAUNCH_TAG(OUTPUT_EXECUTABLE, WIRE_NUMBER):
        if (!get_flag(&from, &output->executable)) return false;
        break;
      case LAUNCH_TAG(OUTPUT_CONTENT, WIRE_BYTES):
        if (!get_part(&from, &content)) return false;
        output->file = -1;
        output->bytes = content.bytes;
        output->size = content.size;
        break;
      case LAUNCH_TAG(OUTPUT_IN_PLACE_IF_EMPTY, WIRE_NUMBER):
        if (!get_flag(&from, &output->in_place_if_empty)) return false;
        break;
      default:
        return false;
    }
  }
  return output->path != NULL;
}

static bool add_output(struct reader* from, struct launch_finish* finish, struct ends* ends) {
  struct reader bytes;
  if (finish->delivery.output_count == LAUNCH_OUTPUT_LIMIT || !get_bytes(from, &bytes)) return false;
  struct launch_output* output = &finish->outputs[finish->delivery.output_count++];
  if (!get_output(bytes, output, ends)) return false;
  if (output->file == 0) output->file = (int)finish->file_count++;
  return true;
}

static bool add_removed(struct reader* from, struct launch_finish* finish, struct ends* ends) {
  struct reader path;
  if (finish->delivery.removed_count == LAUNCH_REMOVED_LIMIT || !get_path(from, &path)) return false;
  finish->removed[finish->delivery.removed_count++] = path.at;
  ends->at[ends->count++] = path.end;
  return true;
}

static bool get_field(struct reader* from, struct launch_finish* finish, struct ends* ends) {
  uint64_t tag = 0;
  if (!get_varint(from, &tag)) return false;
  switch (tag) {
    case LAUNCH_TAG(FINISH_EXIT_CODE, WIRE_NUMBER):
      return get_signed(from, &finish->exit_code);
    case LAUNCH_TAG(FINISH_STDOUT, WIRE_BYTES):
      return get_part(from, &finish->delivery.out);
    case LAUNCH_TAG(FINISH_STDERR, WIRE_BYTES):
      return get_part(from, &finish->delivery.err);
    case LAUNCH_TAG(FINISH_OUTPUTS, WIRE_BYTES):
      return add_output(from, finish, ends);
    case LAUNCH_TAG(FINISH_REMOVED, WIRE_BYTES):
      return add_removed(from, finish, ends);
    default:
      return false;
  }
}

enum launch_reply launch_reply_of(char first) {
  switch (first) {
    case LAUNCH_TAG(ENVELOPE_FINISH, WIRE_BYTES):
      return LAUNCH_FINISH;
    case LAUNCH_TAG(ENVELOPE_PASS_THROUGH, WIRE_BYTES):
      return LAUNCH_PASS_THROUGH;
    default:
      return LAUNCH_OTHER_REPLY;
  }
}

/* The fields of the envelope's only message. */
static bool get_message(char* message, size_t size, uint64_t wanted, struct reader* fields) {
  struct reader envelope = {message, message + size};
  uint64_t tag = 0;
  return get_varint(&envelope, &tag) && tag == wanted && get_bytes(&envelope, fields) && envelope.at == envelope.end;
}

bool launch_decode_finish(char* message, size_t size, struct launch_finish* finish) {
  struct reader fields;
  struct ends ends;
  ends.count = 0;
  finish->exit_code = 0;
  finish->delivery = (struct launch_delivery){.outputs = finish->outputs, .removed = finish->removed};
  finish->file_count = 0;
  if (!get_message(message, size, LAUNCH_TAG(ENVELOPE_FINISH, WIRE_BYTES), &fields)) return false;
  while (fields.at != fields.end) {
    if (!get_field(&fields, finish, &ends)) return false;
  }
  for (size_t index = 0; index < ends.count; ++index) *ends.at[index] = '\0';
  return true;
}

bool launch_decode_wrapper(char* message, size_t size, char library[PATH_MAX]) {
  struct reader fields;
  struct reader path = {NULL, NULL};
  if (!get_message(message, size, LAUNCH_TAG(ENVELOPE_PASS_THROUGH, WIRE_BYTES), &fields)) return false;
  while (fields.at != fields.end) {
    uint64_t tag = 0;
    struct reader reason;
    if (!get_varint(&fields, &tag)) return false;
    const bool is_path = tag == LAUNCH_TAG(PASS_THROUGH_WRAPPER_LIBRARY, WIRE_BYTES);
    if (is_path ? !get_path(&fields, &path) : !get_bytes(&fields, &reason)) return false;
    if (!is_path && tag != LAUNCH_TAG(PASS_THROUGH_REASON, WIRE_BYTES)) return false;
  }
  if (path.at == NULL || path.end - path.at >= PATH_MAX) return false;
  const size_t length = (size_t)(path.end - path.at);
  memcpy(library, path.at, length);
  library[length] = '\0';
  return true;
}
