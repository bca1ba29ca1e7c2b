/* The field numbers and wire types that a hit needs, from src/protocol/messages.cpp and src/protocol/wire.h. Tests
 * compare the bytes. */
#ifndef HIPCACHE_SRC_LAUNCHER_WIRE_H
#define HIPCACHE_SRC_LAUNCHER_WIRE_H

enum launch_wire_type { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

#define LAUNCH_TAG(field, type) ((field) << 3 | (type))

enum { ENVELOPE_COMPILE_REQUEST = 1, ENVELOPE_PASS_THROUGH = 4, ENVELOPE_FINISH = 6 };

enum {
  REQUEST_BUILD = 1,
  REQUEST_ARGV = 2,
  REQUEST_ENVIRONMENT = 3,
  REQUEST_WORKING_DIRECTORY = 4,
  REQUEST_MOUNT_VIEW = 5,
  REQUEST_UMASK = 6,
  REQUEST_STREAMS = 10
};

enum { VIEW_MOUNT_NAMESPACE = 1, VIEW_ROOT_DEVICE = 2, VIEW_ROOT_INODE = 3 };

enum { PASS_THROUGH_REASON = 1, PASS_THROUGH_WRAPPER_LIBRARY = 2 };

enum { FINISH_EXIT_CODE = 1, FINISH_STDOUT = 2, FINISH_STDERR = 3, FINISH_OUTPUTS = 4, FINISH_REMOVED = 5 };

enum { OUTPUT_PATH = 1, OUTPUT_IN_PLACE = 2, OUTPUT_EXECUTABLE = 3, OUTPUT_CONTENT = 4, OUTPUT_IN_PLACE_IF_EMPTY = 5 };

#endif
