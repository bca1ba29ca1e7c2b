/* hipcache, the launcher: serves hits and nothing else. It sends the request to the daemon. If the first reply is a
 * finished compile, the launcher places the outputs and exits. Otherwise it executes hipcache-client, which handles
 * misses, options, starting the daemon and all errors.
 *
 * The launcher is written in C and linked statically with musl, because most of a hit's time is the start of this
 * process. With glibc that start takes twice as long (docs/benchmarks.md). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hipcache/launcher/compiler.h"
#include "launcher/connection.h"
#include "launcher/diagnostics.h"
#include "launcher/exec_client.h"
#include "launcher/finish_decoder.h"
#include "launcher/request.h"
#include "launcher/text.h"

enum { NO_COMPILER = 127 };

/* Holds first the request, then the reply. Longer messages go through the full client. Untouched pages cost nothing. */
static char buffer[1 << 20];

static bool is_set(const char* name) {
  const char* value = getenv(name);
  return value != NULL && value[0] != '\0';
}

/* umask can only be read by setting it. */
static mode_t current_umask(void) {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

static size_t encode_own_request(char** words, const struct launch_view* view) {
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) == NULL) return 0;
  const struct launch_request request = {
      .build = HIPCACHE_BUILD,
      .argv = words,
      .environment = environ,
      .directory = directory,
      .mount_namespace = view->mount_namespace,
      .root_device = view->root_device,
      .root_inode = view->root_inode,
      .umask = current_umask(),
      .stderr_is_terminal = isatty(STDERR_FILENO) == 1,
  };
  return launch_encode_request(&request, buffer, sizeof buffer);
}

static int ask(char** words, char path[PATH_MAX]) {
  struct launch_view view;
  if (is_set("HIPCACHE_DISABLE") || !launch_own_view(&view) || !launch_socket_path(&view, path)) return LAUNCH_ANEW;
  const size_t size = encode_own_request(words, &view);
  const int connection = size == 0 ? LAUNCH_ANEW : launch_connect(path);
  if (connection != LAUNCH_ANEW && launch_send(connection, buffer, size)) return connection;
  if (connection != LAUNCH_ANEW) close(connection);
  return LAUNCH_ANEW;
}

static bool take(int connection, const struct launch_frame* frame, struct launch_answer* answer) {
  int descriptors[HIPCACHE_DESCRIPTOR_LIMIT];
  if (!launch_receive(connection, frame, buffer, descriptors)) return false;
  if (!launch_decode_finish(buffer, frame->size, answer) || answer->file_count != frame->descriptors) return false;
  for (size_t index = 0; index < answer->output_count; ++index) {
    struct launch_output* output = &answer->outputs[index];
    if (output->file >= 0) output->file = descriptors[output->file];
  }
  return true;
}

/* A failure to print is ignored: it must not fail the compile once its outputs are in place. */
static bool finish(const struct launch_answer* answer) {
  struct launch_failure failure;
  if (!launch_place(answer->outputs, answer->output_count, &failure)) return false;
  if (!launch_remove(answer->removed, answer->removed_count, &failure)) return false;
  launch_write(STDOUT_FILENO, answer->out.bytes, answer->out.size);
  launch_write(STDERR_FILENO, answer->err.bytes, answer->err.size);
  return true;
}

static int compile(char** words) {
  static struct launch_answer answer;
  struct launch_frame frame;
  char path[PATH_MAX];
  const int connection = ask(words, path);
  if (connection == LAUNCH_ANEW) return launch_hand_over(words, LAUNCH_ANEW);
  if (!launch_hears_finish(connection, path, sizeof buffer - 1, &frame)) return launch_hand_over(words, connection);
  if (!take(connection, &frame, &answer)) return launch_hand_over(words, LAUNCH_ANEW);
  return finish(&answer) ? answer.exit_code : launch_hand_over(words, LAUNCH_COMPILER);
}

static int complain(const struct launch_command* command) {
  if (command->missing == NULL) {
    launch_complain("no compiler given", "", "");
  } else {
    const bool searched = strchr(command->missing, '/') == NULL;
    launch_complain("could not find compiler \"", command->missing, searched ? "\" in PATH" : "\"");
  }
  return NO_COMPILER;
}

int main(int argc, char** argv) {
  const bool by_own_name = argc == 0 || launch_is_our_name(argv[0]);
  if (by_own_name && (argc < 2 || argv[1][0] == '-')) return launch_options(argv);
  static struct launch_command command;
  launch_find_compiler(by_own_name ? argv + 1 : argv, &command);
  return command.words == NULL ? complain(&command) : compile(command.words);
}
