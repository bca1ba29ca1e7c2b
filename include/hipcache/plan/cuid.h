// The id of a translation unit that clang puts into device and host code. Left to clang, it hashes the arch list too,
// so an added arch changes every code object; equal for two objects, the link fails or kernels vanish.
//
// Ours: H(source, output, argv less the arch list and the depfile's options), 16 hex digits. Paths below a root are
// taken relative to it, so equal builds in two checkouts agree; two outputs of one build never do. docs/cuid.md says
// how the root is found and why.
#ifndef HIPCACHE_PLAN_CUID_H
#define HIPCACHE_PLAN_CUID_H

#include <functional>
#include <string>
#include <string_view>

#include "hipcache/base/roots.h"
#include "hipcache/command/invocation.h"

namespace hipcache::plan {

// The directory that output paths are taken relative to: the topmost build directory above the output (build_root.h),
// or none (""). Not the nearest: two nested builds with equal names must not share ids.
std::string output_root(const std::string& absolute_output, const Roots& roots,
                        const std::function<bool(const std::string& path)>& exists);

// `root`: what output_root says. An output that has none is taken relative to the root of the request that it lies in.
std::string make_cuid(const command::Invocation& invocation, const std::string& working_directory, const Roots& roots,
                      const std::string& root);

// Whether an output of a compile with that id shows any trace of it: the id itself, clang's hash of it (the low half of
// its MD5, in hexadecimal), or a symbol of the kind that is made from it.
bool shows_cuid(std::string_view output, const std::string& cuid);

}  // namespace hipcache::plan

#endif
