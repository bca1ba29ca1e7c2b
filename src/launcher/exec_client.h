/* Replaces this process by the full client, "hipcache-client" of the same installed tree. It does everything that is
 * not a hit. */
#ifndef HIPCACHE_SRC_LAUNCHER_EXEC_CLIENT_H
#define HIPCACHE_SRC_LAUNCHER_EXEC_CLIENT_H

/* Runs the client for hipcache's own options. Returns an exit code only if the client cannot be started. */
int launch_options(char** argv);

/* In place of a connection: see hipcache/launcher/handoff.h. */
enum { LAUNCH_NO_CONNECTION = -1, LAUNCH_ONLY_COMPILER = -2 };

/* Runs the client for a compile. The client takes over `connection`, on which the request was sent and nothing was
 * read. If the client is missing, this process executes the compiler. Returns an exit code only if neither can be
 * started. */
int launch_exec_client(char** words, int connection);

#endif
