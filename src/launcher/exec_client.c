#define _GNU_SOURCE
#include "launcher/exec_client.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/exec_compiler.h"
#include "hipcache/launcher/frame.h"
#include "hipcache/launcher/handoff.h"
#include "launcher/text.h"

int launch_options(char** argv) {
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

int launch_exec_client(char** words, int connection) {
  become_client(words, connection);
  if (connection >= 0) close(connection);
  return launch_exec_compiler(words);
}
