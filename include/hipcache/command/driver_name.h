// What a program is by its name, for those who watch which programs run.
//
// A name decides what is tried, never what is believed: a program that is called like a driver still has to print a
// driver's jobs. Thread-safe.
#ifndef HIPCACHE_COMMAND_DRIVER_NAME_H
#define HIPCACHE_COMMAND_DRIVER_NAME_H

#include <string_view>

namespace hipcache::command {

// "clang", "/usr/lib/llvm-19/bin/clang++-19", "amdclang++".
bool names_clang_driver(std::string_view path);

// ccache, sccache, distcc, icecc: what such a program runs depends on what it holds, or it runs it elsewhere.
bool names_other_cache(std::string_view path);

}  // namespace hipcache::command

#endif
