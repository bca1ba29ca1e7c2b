/* Becoming the full client, which does all that is no hit. It lies beside this program as "hipcache-client". */
#ifndef HIPCACHE_SRC_LAUNCH_HAND_OVER_H
#define HIPCACHE_SRC_LAUNCH_HAND_OVER_H

/* To do what the user's words ask of hipcache itself. Returns the exit code if it cannot be started. */
int launch_options(char** argv);

enum {
  LAUNCH_ANEW = -1,     /* without a connection: it begins anew */
  LAUNCH_COMPILER = -2, /* only to become the compiler: what the daemon sent could not be placed */
};

/* To compile; it takes over a connection on which the request was sent and nothing was read. Should there be no such
 * program, this process becomes the compiler. Returns the exit code if neither can be started. */
int launch_hand_over(char** words, int connection);

#endif
