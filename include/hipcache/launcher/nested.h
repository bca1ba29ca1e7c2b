/* A launcher that a traced step of another hipcache started: hipcache stands before a stub, and the stub runs hipcache
 * again (TheRock, PyTorch). The outer one stores the whole compile, so the inner one becomes the compiler.
 *
 * The outer one names itself in HIPCACHE_OUTER: build, cache directory, and the object of its command (or its last
 * file). The inner one is nested if it is of the same build and cache directory and its command has that object, or no
 * file at all (`--version`). Otherwise it serves its command as usual: a build tool runs under a compile, or the stub
 * names another cache directory on purpose.
 *
 * The launcher is static, so nothing traces it. It writes its own records (docs/internals/trace.md): that it ran, where
 * it looked for the compiler, and which one it started. Rejected: leaving it out of the trace, because PATH leads it.
 */
#ifndef HIPCACHE_LAUNCHER_NESTED_H
#define HIPCACHE_LAUNCHER_NESTED_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HIPCACHE_OUTER "HIPCACHE_OUTER"

/* `words`: of this launcher's command. */
bool launch_is_nested(char* const* words);

/* One place of a search for the compiler. */
void launch_record_look(const char* path, bool found);

/* That this program becomes `compiler`. False if something could not be recorded: the outer one then stores nothing. */
bool launch_record_compiler(const char* compiler);

#ifdef __cplusplus
}
#endif

#endif
