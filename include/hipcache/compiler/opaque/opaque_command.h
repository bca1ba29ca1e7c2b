// Opaque commands: one traced run of the command as typed; its outputs are the files that it was
// seen to write.
//
// Problem: a project also compiles other code than HIP for several architectures: C and C++ by
// clang and gcc, assembler, precompiled headers, two sources at once.
// Choice: such a command is not split. The trace shows its inputs and outputs, so its options need
// not be understood. This parser refuses only what no trace can show: results that depend on the
// machine, the clock, randomness, a terminal or a plugin.
// Rejected: understanding each compiler's options (gcc has no table that could be linked, and every
// release adds some).
#ifndef HIPCACHE_COMPILER_OPAQUE_OPAQUE_COMMAND_H
#define HIPCACHE_COMPILER_OPAQUE_OPAQUE_COMMAND_H

#include <string>
#include <variant>
#include <vector>

#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"

namespace hipcache::compiler {

// Reads response files relative to `working_directory`. `further` lists programs to treat as
// compilers although their names do not say so, each as "NAME", "NAME=gcc" or "NAME=clang".
// Thread-safe.
std::variant<Invocation, Uncacheable> parse_opaque(const std::vector<std::string>& argv,
                                                   const std::string& working_directory,
                                                   const std::vector<std::string>& further = {});

// The most general kind: its refusal is the reason why a command is not cached.
class OpaqueKind final : public Kind {
 public:
  std::variant<Invocation, Uncacheable> read(const Command& command) const override;
};

}  // namespace hipcache::compiler

#endif
