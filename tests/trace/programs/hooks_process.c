#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks.h"

static char* const arguments[] = {"true", NULL};

/* Runs in a child what does not return. */
static int in_child(int (*run)(void)) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    run();
    _exit(9);
  }
  return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int by_execve(void) { return execve("/bin/true", arguments, environ); }
static int by_execv(void) { return execv("/bin/true", arguments); }
static int by_execvp(void) { return execvp("true", arguments); }
static int by_execvpe(void) { return execvpe("true", arguments, environ); }
static int by_execl(void) { return execl("/bin/true", "true", "an argument", (char*)NULL); }
static int by_execlp(void) { return execlp("true", "true", (char*)NULL); }
static int by_execle(void) { return execle("/bin/true", "true", (char*)NULL, environ); }
static int by_fexecve(void) { return fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), arguments, environ); }

/* With an environment that lacks the trace: empty, of one's own making, or with a library of one's own. */
static char* const empty[] = {NULL};
static char* const own[] = {"TRACE_TEST_OWN=1", "LD_PRELOAD=libdl.so.2", NULL};

static int by_execve_alone(void) { return execve("/bin/true", arguments, empty); }
static int by_execve_own(void) { return execve("/bin/true", arguments, own); }
static int by_execvpe_alone(void) { return execvpe("true", arguments, own); }
static int by_execle_alone(void) { return execle("/bin/true", "true", (char*)NULL, empty); }
static int by_fexecve_alone(void) { return fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), arguments, empty); }
static int by_execv_cleared(void) {
  environ = NULL;
  return execv("/bin/true", arguments);
}
static int by_execvp_cleared(void) {
  environ = (char**)own;
  return execvp("true", arguments);
}

static int child_execve_alone(void) { return in_child(by_execve_alone); }
static int child_execve_own(void) { return in_child(by_execve_own); }
static int child_execvpe_alone(void) { return in_child(by_execvpe_alone); }
static int child_execle_alone(void) { return in_child(by_execle_alone); }
static int child_fexecve_alone(void) { return in_child(by_fexecve_alone); }
static int child_execv_cleared(void) { return in_child(by_execv_cleared); }
static int child_execvp_cleared(void) { return in_child(by_execvp_cleared); }

static int child_execve(void) { return in_child(by_execve); }
static int child_execv(void) { return in_child(by_execv); }
static int child_execvp(void) { return in_child(by_execvp); }
static int child_execvpe(void) { return in_child(by_execvpe); }
static int child_execl(void) { return in_child(by_execl); }
static int child_execlp(void) { return in_child(by_execlp); }
static int child_execle(void) { return in_child(by_execle); }
static int child_fexecve(void) { return in_child(by_fexecve); }

static int reaped(int error, pid_t child) {
  int status = 0;
  return error != 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int spawn(void) {
  pid_t child = 0;
  const int error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
  return reaped(error, child);
}

static int spawn_alone(void) {
  pid_t child = 0;
  const int error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, own);
  return reaped(error, child);
}

static int spawn_from_path_alone(void) {
  pid_t child = 0;
  const int error = posix_spawnp(&child, "true", NULL, NULL, arguments, empty);
  return reaped(error, child);
}

/* Another step's trace, or none at all: the child is not ours. */
static int spawn_for_another(void) {
  char* const other[] = {"HIPCACHE_TRACE=/dev/null", NULL};
  pid_t child = 0;
  const int error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, other);
  return reaped(error, child);
}

/* env prints what it got. */
static int spawn_env(void) {
  char* const words[] = {"env", NULL};
  pid_t child = 0;
  const int error = posix_spawn(&child, "/usr/bin/env", NULL, NULL, words, own);
  return reaped(error, child);
}

static int spawn_from_path(void) {
  pid_t child = 0;
  const int error = posix_spawnp(&child, "true", NULL, NULL, arguments, environ);
  return reaped(error, child);
}

static int spawn_with_files(void) {
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "there", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "w-output", O_WRONLY | O_CREAT, 0600);
  const int error = posix_spawn(&child, "/bin/true", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return reaped(error, child);
}

static int exec_in_vain(void) {
  const int result = execv("absent", arguments);
  return result != -1 || errno != ENOENT;
}

static int shell(void) { return system("true"); }

static int shell_pipe(void) {
  FILE* output = popen("true", "r");
  return output == NULL ? 1 : pclose(output);
}

static int connect_network(void) {
  const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 1, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  return connect(socket(AF_INET, SOCK_DGRAM, 0), (const struct sockaddr*)&address, sizeof address);
}

static int connect_socket(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, "absent");
  const int result = connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr*)&address, sizeof address);
  return result != -1 || errno != ENOENT;
}

static int leave_at_once(void) { _exit(0); }
static int leave_by_iso_name(void) { _Exit(0); }
static int leave_quickly(void) { quick_exit(0); }
static int leave_by_exit(void) { exit(0); }
static int leave_by_main(void) { return 0; }
static int killed(void) { return kill(getpid(), SIGKILL); }
static int aborted(void) { abort(); }

/* A child that runs no program of its own is a part of its parent: one program, one end. */
static int read_in_child(void) {
  exit(open("there", O_RDONLY) < 0);
  return 1;
}
static int forked(void) { return in_child(read_in_child); }

static int vforked(void) {
  int status = 0;
  const pid_t child = vfork();
  if (child == 0) _exit(0);
  return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

const struct group process_groups[] = {{"execve", child_execve},
                                       {"execv", child_execv},
                                       {"execvp", child_execvp},
                                       {"execvpe", child_execvpe},
                                       {"execl", child_execl},
                                       {"execlp", child_execlp},
                                       {"execle", child_execle},
                                       {"fexecve", child_fexecve},
                                       {"posix_spawn", spawn},
                                       {"posix_spawnp", spawn_from_path},
                                       {"execve-alone", child_execve_alone},
                                       {"execve-own", child_execve_own},
                                       {"execvpe-alone", child_execvpe_alone},
                                       {"execle-alone", child_execle_alone},
                                       {"fexecve-alone", child_fexecve_alone},
                                       {"execv-cleared", child_execv_cleared},
                                       {"execvp-cleared", child_execvp_cleared},
                                       {"posix_spawn-alone", spawn_alone},
                                       {"posix_spawnp-alone", spawn_from_path_alone},
                                       {"spawn-for-another", spawn_for_another},
                                       {"spawn-env", spawn_env},
                                       {"spawn-with-files", spawn_with_files},
                                       {"exec-in-vain", exec_in_vain},
                                       {"system", shell},
                                       {"popen", shell_pipe},
                                       {"connect-network", connect_network},
                                       {"connect-socket", connect_socket},
                                       {"_exit", leave_at_once},
                                       {"_Exit", leave_by_iso_name},
                                       {"quick_exit", leave_quickly},
                                       {"exit", leave_by_exit},
                                       {"return", leave_by_main},
                                       {"kill", killed},
                                       {"abort", aborted},
                                       {"fork", forked},
                                       {"vfork", vforked},
                                       {NULL, NULL}};
