// The arguments of commands as they enter keys: the same in every checkout.
//
// A name in a root becomes portable. Not so paths that a compiler joins from two arguments, a prefix and a name that is
// relative to it: "--sysroot=/p -I=/one/include" reads /p/one/include, and no argument names the root /p/one. Such a
// name stays as typed, and if a prefix may lead to a root, the root's path is in the key (docs/internals/proof.md,
// "Joined paths"). Rejected: joining the paths as each compiler does. gcc appends by characters, clang by components,
// and a compiler may have a sysroot built in.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_PORTABLE_ARGUMENTS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_PORTABLE_ARGUMENTS_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/base/roots.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

// Whether a compiler joins the argument with others: "-I=/include", the value of -iwithprefix or -iprefix.
bool is_joined(const std::vector<std::string>& argv, std::size_t index);

// The roots that a joined path may lead to although no argument names them, by their marks in `roots`.
RootMask roots_reached_by_joining(const std::vector<std::string>& argv, const Roots& roots);

// The arguments as they enter a step's key: the same in every checkout, and for every CUID that hipcache makes. If a
// path or the CUID shows in the step's outputs, the path set asks for it.
std::vector<std::string> portable(const std::vector<std::string>& argv, const inputs::RunContext& from);

// The same for a step's command, also without the date that the driver took from SOURCE_DATE_EPOCH. If the step used
// that, the path set asks for it.
std::vector<std::string> portable_step(const std::vector<std::string>& argv, const inputs::RunContext& from);

// The arguments of an opaque compile that enter its key, before they are made portable.
const std::vector<std::string>& opaque_arguments(const compiler::Invocation& invocation);

}  // namespace hipcache::daemon

#endif
