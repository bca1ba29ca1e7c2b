// Commands of IREE's compiler: iree-compile and its relatives, as one traced run each.
//
// Problem: iree-compile has more than a thousand options, most of them LLVM's and MLIR's. They move
// from release to release, and each wheel has others.
// Choice: the command is an opaque compile. Its options are words of the key, and the trace finds
// what they read and write. Only options are known by name whose effect no trace can show: those
// that print about the compiler, measure, load code, or keep temporary files. The processor is
// always in the key, because IREE evaluates constants on it and modules may ask for it by
// themselves.
// Rejected: a table of IREE's options. It would be wrong for every other version, and a wrong entry
// could only lose hits or correctness.
// Rejected: starting the program behind pip's Python script without the script. Which program that
// is depends on sys.path, variables and the package's code; the trace sees all of these.
#ifndef HIPCACHE_COMPILER_IREE_IREE_COMMAND_H
#define HIPCACHE_COMPILER_IREE_IREE_COMMAND_H

#include <string>
#include <variant>
#include <vector>

#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"

namespace hipcache::compiler {

// Takes iree-compile, iree-opt and iree-link, each as a program, as pip's script, or as
// "python3 -m iree.compiler.tools.scripts.iree_compile". Thread-safe. Reads response files.
std::variant<Invocation, Uncacheable> parse_iree(const std::vector<std::string>& argv,
                                                 const std::string& working_directory);

class IreeKind final : public Kind {
 public:
  std::variant<Invocation, Uncacheable> read(const Command& command) const override;
};

}  // namespace hipcache::compiler

#endif
