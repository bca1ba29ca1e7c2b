// The options of clang's driver and front end, for LLVM's reader of command lines.
//
// Problem: only clang's own table says what a word of a command is, and each release changes it. Its library belongs to
// one release, and needs 300 MB to build with. Choice: clang_options.inc, made by tools/update-option-table from the
// sources of several releases. The options of one release are those that hipcache's rules were written for (kDriver,
// kCc1). Those that other releases add are known by name and by the words they take, and nobody has judged what they do
// (kUnjudged; unknown_option.h). Rejected: the table of the clang that is installed. Options that come or go
// would change the meaning of a rule.
#ifndef HIPCACHE_SRC_COMPILER_OPTIONS_OPTION_TABLE_H
#define HIPCACHE_SRC_COMPILER_OPTIONS_OPTION_TABLE_H

#include <llvm/Option/OptTable.h>

#include <string>

namespace hipcache::compiler {
namespace options {

// Flags of an option beside LLVM's own (llvm::opt::DriverFlag): who reads it, which ParseArgs takes, and whether its
// meaning is known.
constexpr unsigned kDriver = 1U << 4;
constexpr unsigned kCc1 = 1U << 5;
constexpr unsigned kUnjudged = 1U << 6;

enum Id : unsigned {
  OPT_INVALID = 0,
#define GROUP(id, name, group) OPT_##id,
#define OPTION(prefixes, spelling, id, kind, group, alias, values, flags, count) OPT_##id,
#include "compiler/options/clang_options.inc"
#undef OPTION
#undef GROUP
};

}  // namespace options

// Thread-safe; the table is built once.
const llvm::opt::OptTable& option_table();

// The option's name with its first prefix: the name in the table of facts.
std::string spelled(const llvm::opt::Option& option);

}  // namespace hipcache::compiler

#endif
