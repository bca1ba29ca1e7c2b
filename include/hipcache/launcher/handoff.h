/* How the launcher tells the full client how far it got with a command: one word before the
 * command.
 *
 *   --launch=5,0.1.0/4          descriptor 5 is a connection to the daemon, on which the launcher
 *                               of that build sent the request and read nothing
 *   --launch=,0.1.0/4           there is no connection: the client sends the request itself
 *   --launch=compiler,0.1.0/4   a reply came, but its outputs could not be placed: the client only
 *                               executes the compiler
 *
 * A launcher of another build may have sent another request, so the client then ignores the
 * connection. src/launcher/main.c writes the word; hipcache/client/launcher_handoff.h reads
 * it. */
#ifndef HIPCACHE_LAUNCHER_HANDOFF_H
#define HIPCACHE_LAUNCHER_HANDOFF_H

#define LAUNCH_CLIENT_PROGRAM "hipcache-client" /* also its argv[0] */
/* From the launcher's directory; HIPCACHE_HELPERS_FROM_BIN comes from the build. */
#define LAUNCH_CLIENT_FROM_LAUNCHER HIPCACHE_HELPERS_FROM_BIN "/" LAUNCH_CLIENT_PROGRAM
#define LAUNCH_HANDOFF_WORD "--launch="
#define LAUNCH_HANDOFF_COMPILER "compiler"

#endif
