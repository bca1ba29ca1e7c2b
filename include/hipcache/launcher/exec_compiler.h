/* Executes the real compiler: the fallback for every failure of launcher and client. Prints why it cannot. */
#ifndef HIPCACHE_LAUNCHER_EXEC_COMPILER_H
#define HIPCACHE_LAUNCHER_EXEC_COMPILER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces this process by the command, which is found in PATH if its name has no slash, with the
 * environment that this process was started with. Returns only on failure: see launch_cannot_run().
 * REQUIRES: no other thread and no child is left. */
int launch_exec_compiler(char* const* words);

/* Prints that the program cannot be run, with the reason in errno. Returns the exit code that a
 * shell would give: 127 if there is no such program, else 126. */
int launch_cannot_run(const char* program);

/* Thread-safe. Prints "hipcache: error: ", the three parts and a newline by one system call. If stderr is
 * closed, the message is lost. */
void launch_print_error(const char* before, const char* name, const char* after);

#ifdef __cplusplus
}
#endif

#endif
