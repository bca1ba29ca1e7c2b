#include "launcher/finish_decoder.h"

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

static bool get_part(struct reader* from, struct launch_part* part) {
  struct reader bytes;
  if (!get_bytes(from, &bytes)) return false;
  *part = (struct launch_part){bytes.at, (size_t)(bytes.end - bytes.at)};
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
    struct launch_part content;
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

static bool add_output(struct reader* from, struct launch_answer* answer, struct ends* ends) {
  struct reader bytes;
  if (answer->output_count == LAUNCH_OUTPUT_LIMIT || !get_bytes(from, &bytes)) return false;
  struct launch_output* output = &answer->outputs[answer->output_count++];
  if (!get_output(bytes, output, ends)) return false;
  if (output->file == 0) output->file = (int)answer->file_count++;
  return true;
}

static bool add_removed(struct reader* from, struct launch_answer* answer, struct ends* ends) {
  struct reader path;
  if (answer->removed_count == LAUNCH_REMOVED_LIMIT || !get_path(from, &path)) return false;
  answer->removed[answer->removed_count++] = path.at;
  ends->at[ends->count++] = path.end;
  return true;
}

static bool get_field(struct reader* from, struct launch_answer* answer, struct ends* ends) {
  uint64_t tag = 0;
  if (!get_varint(from, &tag)) return false;
  switch (tag) {
    case LAUNCH_TAG(FINISH_EXIT_CODE, WIRE_NUMBER):
      return get_signed(from, &answer->exit_code);
    case LAUNCH_TAG(FINISH_STDOUT, WIRE_BYTES):
      return get_part(from, &answer->out);
    case LAUNCH_TAG(FINISH_STDERR, WIRE_BYTES):
      return get_part(from, &answer->err);
    case LAUNCH_TAG(FINISH_OUTPUTS, WIRE_BYTES):
      return add_output(from, answer, ends);
    case LAUNCH_TAG(FINISH_REMOVED, WIRE_BYTES):
      return add_removed(from, answer, ends);
    default:
      return false;
  }
}

bool launch_begins_finish(char first) { return first == LAUNCH_TAG(ENVELOPE_FINISH, WIRE_BYTES); }

bool launch_decode_finish(char* message, size_t size, struct launch_answer* answer) {
  struct reader envelope = {message, message + size};
  struct reader finish;
  struct ends ends;
  ends.count = 0;
  uint64_t tag = 0;
  answer->exit_code = 0;
  answer->out = answer->err = (struct launch_part){NULL, 0};
  answer->output_count = answer->file_count = answer->removed_count = 0;
  if (!get_varint(&envelope, &tag) || tag != LAUNCH_TAG(ENVELOPE_FINISH, WIRE_BYTES)) return false;
  if (!get_bytes(&envelope, &finish) || envelope.at != envelope.end) return false;
  while (finish.at != finish.end) {
    if (!get_field(&finish, answer, &ends)) return false;
  }
  for (size_t index = 0; index < ends.count; ++index) *ends.at[index] = '\0';
  return true;
}
