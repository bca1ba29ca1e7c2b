// Where glibc's loader looks, as far as the processor decides it.
//
// The source: glibc's sysdeps/<processor> (dl-hwcaps-subdirs.c, dl-procinfo.h, and before 2.37 dl-hwcaps.c), and how
// Debian, Fedora, openSUSE and Arch build it. A loader of another processor serves programs that are not traced
// (trace/loads_library.h). The choice: a table for each processor that the trace library knows; a build for another one
// stops here. Rejected: one list of all names, because each name is a question of each compile.
#ifndef HIPCACHE_SRC_INPUTS_LOADER_PROCESSOR_H
#define HIPCACHE_SRC_INPUTS_LOADER_PROCESSOR_H

#include <array>
#include <string_view>

namespace hipcache::inputs {

#if defined __x86_64__
// Where the loader looks last.
inline constexpr std::array<std::string_view, 6> kDefaultDirectories = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
// Below glibc-hwcaps, from glibc 2.33 on. The loader prefers them to the directory that holds glibc-hwcaps.
inline constexpr std::array<std::string_view, 3> kHwcapsLevels = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
// Subdirectories that loaders before glibc 2.37 prefer. They nest.
inline constexpr std::array<std::string_view, 4> kOldPreferred = {"tls", "haswell", "avx512_1", "x86_64"};
// What $LIB and $PLATFORM may mean in a list of directories.
inline constexpr std::array<std::string_view, 3> kLibTokens = {"lib64", "lib", "lib/x86_64-linux-gnu"};
inline constexpr std::array<std::string_view, 3> kPlatformTokens = {"x86_64", "haswell", "xeon_phi"};
#elif defined __aarch64__
inline constexpr std::array<std::string_view, 6> kDefaultDirectories = {
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
inline constexpr std::array<std::string_view, 0> kHwcapsLevels = {};  // glibc has none for this processor
inline constexpr std::array<std::string_view, 3> kOldPreferred = {"tls", "atomics", "aarch64"};
inline constexpr std::array<std::string_view, 3> kLibTokens = {"lib64", "lib", "lib/aarch64-linux-gnu"};
inline constexpr std::array<std::string_view, 1> kPlatformTokens = {"aarch64"};
#else
#error "hipcache traces compilers on x86-64 and arm64 alone"
#endif

}  // namespace hipcache::inputs

#endif
