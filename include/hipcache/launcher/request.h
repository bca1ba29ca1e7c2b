/* The request to compile a command: describes this process, and encodes a CompileRequest.
 *
 * Problem: the launcher has to write a message, and the C++ library would multiply its size and the
 * time of its start.
 * Choice: this encoder in C. The full client encodes the request with hipcache/protocol/messages.h,
 * as its other messages. The test tests/launcher/request_test.cpp compares the bytes of both.
 * Rejected: this encoder for the client as well. Its call would take more lines than the request's
 * list of fields, which the daemon needs in any case to decode it.
 *
 * A struct owns nothing: its pointers belong to the caller. */
#ifndef HIPCACHE_LAUNCHER_REQUEST_H
#define HIPCACHE_LAUNCHER_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hipcache/launcher/daemon_address.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAUNCH_STREAMS_LIMIT = 48 }; /* bytes of a description of the standard streams, with the zero */

/* The fields of protocol::CompileRequest that every compile sets. */
struct launch_request {
  const char* build;
  char* const* argv;        /* NULL-terminated, like `environment` */
  char* const* environment; /* NULL counts as empty */
  const char* directory;
  struct launch_view view;
  uint32_t umask;
  char streams[LAUNCH_STREAMS_LIMIT]; /* of launch_describe_streams */
  bool pwd_leads_here;                /* of protocol::CompileRequest */
};

/* Describes the standard streams of this process: for each a field, "COLUMNSxROWS" if it is a terminal, with commas
 * between. "=" at the end says that standard output and standard error are one file. Empty if there is nothing to
 * say: no terminal, and two files. */
void launch_describe_streams(char text[LAUNCH_STREAMS_LIMIT]);

/* The request of this process to compile `argv`. `directory` holds the working directory, and must
 * live as long as the request. False with errno if the working directory is gone. REQUIRES: no
 * other thread, because umask can only be read by setting it. */
bool launch_own_request(char* const* argv, char directory[PATH_MAX], struct launch_request* request);

/* Encodes the message with its frame header, to the same bytes as protocol::encode. Returns the number of
 * bytes, or 0 if `room` is too small. */
size_t launch_encode_request(const struct launch_request* request, char* frame, size_t room);

#ifdef __cplusplus
}
#endif

#endif
