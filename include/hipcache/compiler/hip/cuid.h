// The CUID is an id of the translation unit that clang puts into device and host code. clang's own
// choice also hashes the architecture list, so adding an architecture would change every code
// object. If two objects have equal ids, the link fails or kernels vanish.
//
// hipcache's id: H(source, output, argv without the architecture list and the depfile options), 16
// hex digits. Paths below a root are taken relative to it, so equal builds in two checkouts have
// equal ids. Two outputs of one build always have different ids. docs/internals/cuid.md says how the root is
// found and why.
#ifndef HIPCACHE_COMPILER_HIP_CUID_H
#define HIPCACHE_COMPILER_HIP_CUID_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/roots.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

// Finds the build directories that contain a directory, without a setting.
//
// Problem: equal builds in two directories must agree in names, but nothing says where a build
// directory begins.
// Choice: a directory with a CMakeCache.txt or a build.ninja (CMake, Meson, gn). Projects nest the
// builds of other projects, so both the nearest and the topmost one count. Names of the inner build
// itself are relative to the nearest; names that it shares are relative to the topmost.
// Rejected: CMakeFiles and Makefile; CMake writes them into every directory of a build, and people
// write Makefiles into their sources.

struct BuildRoots {
  std::string nearest;  // "": none
  std::string topmost;
};

// Calls `exists` twice for the directory and each of its parents except "/". Errors count as "does
// not exist".
BuildRoots build_roots(const std::string& absolute_directory,
                       const std::function<bool(const std::string& path)>& exists);

// The directory that output paths are relative to: the topmost build directory above the output
// (cuid.h), or "". Not the nearest one: two nested builds with equal names must not share
// ids.
std::string output_root(const std::string& absolute_output, const Roots& roots,
                        const std::function<bool(const std::string& path)>& exists);

// `root`: the result of output_root. If it is "", the output is taken relative to the root of the
// request that contains it.
// `counted`: those arguments of Invocation::for_cuid that distinguish one compile from another.
// If the command has several sources, the id has none of them: cuid_of_source() adds each one.
std::string make_cuid(const compiler::Invocation& invocation, const std::vector<std::string>& counted,
                      const std::string& working_directory, const Roots& roots, const std::string& root);

// The id of one of several sources: `cuid`, which make_cuid() made, and what tells the sources apart.
// A step's key leaves out `cuid` and keeps the rest.
std::string cuid_of_source(const std::string& cuid, const std::string& source, const std::string& working_directory,
                           const Roots& roots, const std::string& root);

// The id of relocatable code, in place of `cuid`. `distinct`: what distinguishes two compiles of the source.
std::string make_relocatable_cuid(const std::string& cuid, const std::vector<std::string>& distinct, const Roots& roots,
                                  const std::string& root);

// Whether an output of a compile with that id shows it in any form. The forms are the id itself,
// clang's hash of it (the low half of its MD5, in hexadecimal), and a symbol derived from it.
bool shows_cuid(std::string_view output, const std::string& cuid);

}  // namespace hipcache::hip

#endif
