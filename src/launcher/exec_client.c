#define _GNU_SOURCE
#include "launcher/exec_client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hipcache/launcher/compiler.h"
#include "hipcache/protocol/frame.h"
#include "launcher/diagnostics.h"
#include "launcher/text.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static int cannot_run(const char* program) {
  const int error = errno;
  char why[128];
  struct launch_text text = launch_text(why, sizeof why);
  launch_add(&text, ": ");
  launch_add(&text, strerror(error));
  launch_complain("cannot run ", program, why);
  return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

int launch_options(char** argv) {
  char client[PATH_MAX];
  if (launch_beside_us("hipcache-client", client)) execv(client, argv);
  return cannot_run("hipcache-client");
}

/* "--launch=5,0.1.0/4": the number of the connection, and the build of the launcher that sent the request. */
static void name_connection(int connection, char* word, size_t room) {
  struct launch_text text = launch_text(word, room);
  launch_add(&text, "--launch=");
  if (connection >= 0) launch_add_number(&text, (unsigned long)connection);
  if (connection == LAUNCH_COMPILER) launch_add(&text, "compiler");
  launch_add(&text, "," HIPCACHE_BUILD);
}

static void become_client(char** words, int connection) {
  size_t count = 0;
  while (words[count] != NULL) ++count;
  char client[PATH_MAX];
  char begun[64];
  char name[] = "hipcache-client";
  char* argv[count + 3];
  argv[0] = name;
  argv[1] = begun;
  memcpy(argv + 2, words, (count + 1) * sizeof *words);
  name_connection(connection, begun, sizeof begun);
  if (!launch_beside_us("hipcache-client", client) || access(client, X_OK) != 0) return;
  if (connection >= 0 && fcntl(connection, F_SETFD, 0) != 0) return;
  execv(client, argv);
}

int launch_hand_over(char** words, int connection) {
  become_client(words, connection);
  if (connection >= 0) close(connection);
  execvp(words[0], words);
  return cannot_run(words[0]);
}
