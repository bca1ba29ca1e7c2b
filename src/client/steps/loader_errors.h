// What the dynamic loader prints about our trace library where it cannot load it.
//
// The problem: a wrapper may run the compiler in a container or chroot without the library, and a tool may be a 32-bit
// program. The loader then prints an error for each such program, and goes on. The compiler alone prints none, so the
// user and a configure script would see errors that hipcache caused. The choice: the lines are removed from a step's
// messages. Rejected: a library for each kind of program ("$LIB" in LD_PRELOAD), which does not help in containers.
#ifndef HIPCACHE_SRC_CLIENT_STEPS_LOADER_ERRORS_H
#define HIPCACHE_SRC_CLIENT_STEPS_LOADER_ERRORS_H

#include <string>

namespace hipcache::client {

// Removes the lines of do_preload() in glibc's elf/rtld.c about that library. It writes each at once and untranslated.
// Errors about other preloaded libraries stay.
void remove_loader_errors(std::string& messages, const std::string& library);

}  // namespace hipcache::client

#endif
