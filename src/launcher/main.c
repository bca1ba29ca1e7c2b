/* hipcache, the launcher: serves hits, and starts wrappers. It sends the request to the daemon. If the first reply is a
 * finished compile, the launcher places the outputs and exits. If it says that the compiler is a wrapper, the launcher
 * becomes it. Otherwise it executes hipcache-client, which handles misses, options, starting the daemon and all errors.
 *
 * The launcher is written in C and linked statically with musl, because most of a hit's time is the start of this
 * process. With glibc that start takes twice as long (docs/benchmarks.md). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/exec_compiler.h"
#include "hipcache/launcher/frame.h"
#include "hipcache/launcher/handoff.h"
#include "hipcache/launcher/recorder.h"
#include "hipcache/launcher/request.h"
#include "hipcache/launcher/tracer.h"
#include "hipcache/launcher/wrapper.h"
#include "launcher/connection.h"
#include "launcher/reply_decoder.h"
#include "launcher/text.h"

/* In place of a connection: see hipcache/launcher/handoff.h. */
enum { LAUNCH_NO_CONNECTION = -1, LAUNCH_ONLY_COMPILER = -2 };

/* Runs the client for hipcache's own options. Returns an exit code only if the client cannot be started. */
static int launch_options(char** argv) {
  char client[PATH_MAX];
  if (launch_from_here(LAUNCH_CLIENT_FROM_LAUNCHER, client)) execv(client, argv);
  return launch_cannot_run(LAUNCH_CLIENT_PROGRAM);
}

static void write_handoff(int connection, char* word, size_t room) {
  struct launch_text text = launch_empty_text(word, room);
  launch_add(&text, LAUNCH_HANDOFF_WORD);
  if (connection >= 0) launch_add_number(&text, (unsigned long)connection);
  if (connection == LAUNCH_ONLY_COMPILER) launch_add(&text, LAUNCH_HANDOFF_COMPILER);
  launch_add(&text, "," HIPCACHE_BUILD);
}

static void become_client(char** words, int connection) {
  size_t count = 0;
  while (words[count] != NULL) ++count;
  char client[PATH_MAX];
  char handoff[64];
  char name[] = LAUNCH_CLIENT_PROGRAM;
  char* argv[count + 3];
  argv[0] = name;
  argv[1] = handoff;
  memcpy(argv + 2, words, (count + 1) * sizeof *words);
  write_handoff(connection, handoff, sizeof handoff);
  if (!launch_from_here(LAUNCH_CLIENT_FROM_LAUNCHER, client) || access(client, X_OK) != 0) return;
  if (connection >= 0 && fcntl(connection, F_SETFD, 0) != 0) return;
  execv(client, argv);
}

/* Replaces this process by the full client, "hipcache-client" of the same installed tree, for a compile. The client
 * takes over `connection`, on which the request was sent and nothing was read. If the client is missing, this process
 * executes the compiler. Returns an exit code only if neither can be started. */
static int launch_exec_client(char** words, int connection) {
  become_client(words, connection);
  if (connection >= 0) close(connection);
  return launch_exec_compiler(words);
}

enum { NO_COMPILER = 127 };

/* Holds first the request, then the reply. Longer messages go through the full client. Untouched pages cost nothing. */
static char buffer[1 << 20];

static bool is_set(const char* name) {
  const char* value = getenv(name);
  return value != NULL && value[0] != '\0';
}

/* A connection to the daemon of this view, or else to the one that may serve this namespace too. */
static int send_request(const struct launch_view* view, size_t size, char path[PATH_MAX]) {
  const struct launch_view outer = launch_outer_view(view);
  errno = 0;
  const int connection = launch_own_socket(view, path) ? launch_send_request(path, buffer, size) : LAUNCH_NO_CONNECTION;
  if (connection >= 0 || (errno != ENOENT && errno != ECONNREFUSED)) return connection;
  return launch_own_socket(&outer, path) ? launch_send_request(path, buffer, size) : LAUNCH_NO_CONNECTION;
}

/* A connection on which the request was sent, or LAUNCH_NO_CONNECTION. `path`: of the socket. */
static int ask(char** words, char path[PATH_MAX]) {
  struct launch_request request;
  char directory[PATH_MAX];
  if (is_set("HIPCACHE_DISABLE") || launch_is_recorded()) return LAUNCH_NO_CONNECTION;
  if (!launch_own_request(words, directory, &request)) return LAUNCH_NO_CONNECTION;
  const size_t size = launch_encode_request(&request, buffer, sizeof buffer);
  return size == 0 ? LAUNCH_NO_CONNECTION : send_request(&request.view, size, path);
}

static bool receive(int connection, const struct launch_frame* frame, struct launch_finish* finish) {
  int descriptors[HIPCACHE_DESCRIPTOR_LIMIT];
  if (!launch_receive(connection, frame, buffer, descriptors)) return false;
  if (!launch_decode_finish(buffer, frame->size, finish) || finish->file_count != frame->descriptors) return false;
  for (size_t index = 0; index < finish->delivery.output_count; ++index) {
    struct launch_output* output = &finish->outputs[index];
    if (output->file >= 0) output->file = descriptors[output->file];
  }
  return true;
}

/* The reply stays unread for the full client, unless this process is to become a wrapper. */
static int run_compiler(char** words, int connection, const struct launch_frame* frame) {
  char library[PATH_MAX];
  char hipcache[PATH_MAX];
  const bool is_wrapper = launch_peek(connection, frame, buffer) &&
                          launch_decode_wrapper(buffer + HIPCACHE_FRAME_HEADER, frame->size, library) &&
                          launch_from_here("hipcache", hipcache);
  return is_wrapper ? launch_exec_wrapper(words, hipcache, library, NULL) : launch_exec_client(words, connection);
}

/* Looked for while the daemon works, because it takes a hundredth of a hit. */
static bool may_see_other_files(void) {
  const pid_t tracer = launch_tracer();
  return tracer != 0 && !launch_only_observes(tracer);
}

static int compile(char** words) {
  static struct launch_finish finish;
  struct launch_frame frame;
  struct launch_failure failure;
  char path[PATH_MAX];
  const int connection = ask(words, path);
  if (connection == LAUNCH_NO_CONNECTION) return launch_exec_client(words, LAUNCH_NO_CONNECTION);
  if (may_see_other_files()) {
    close(connection);
    return launch_exec_client(words, LAUNCH_NO_CONNECTION);
  }
  const enum launch_reply reply = launch_hears(connection, path, sizeof buffer - HIPCACHE_FRAME_HEADER - 1, &frame);
  if (reply == LAUNCH_PASS_THROUGH) return run_compiler(words, connection, &frame);
  if (reply != LAUNCH_FINISH) return launch_exec_client(words, connection);
  if (!receive(connection, &frame, &finish)) return launch_exec_client(words, LAUNCH_NO_CONNECTION);
  return launch_deliver(&finish.delivery, &failure) ? finish.exit_code
                                                    : launch_exec_client(words, LAUNCH_ONLY_COMPILER);
}

int main(int argc, char** argv) {
  const bool by_own_name = argc == 0 || launch_is_our_name(argv[0]);
  if (by_own_name && (argc < 2 || argv[1][0] == '-')) return launch_options(argv);
  static struct launch_command command;
  launch_find_compiler(by_own_name ? argv + 1 : argv, &command);
  if (command.words != NULL) return compile(command.words);
  launch_print_error(command.problem, "", "");
  return NO_COMPILER;
}
