// Reads the arguments of `clang -cc1` with clang's own table of frontend options.
//
// A cc1 command is trusted to write only the files that its roles name if two things hold. Every
// argument is known, and none is on the list of options that name, print, load or emit more. An
// argument's role is its meaning for the cache; arguments with role `plain` have no special meaning
// and are part of every key.
// Rejected: a list of harmless arguments, of which there are 1,900 and each release adds some.
// Matching by spelling, since arity matters: "-o" may be the value of "-D".
#ifndef HIPCACHE_COMPILER_CC1_H
#define HIPCACHE_COMPILER_CC1_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::compiler {

enum class Cc1Role {
  plain,
  source,           // the input file
  output,           // -o FILE
  depfile,          // -dependency-file FILE
  split_dwarf,      // -split-dwarf-output FILE
  stack_usage,      // -stack-usage-file FILE
  dependency,       // affects the depfile only: -MT, -MP, -MV, -sys-header-deps
  fatbin,           // -fcuda-include-gpubinary FILE, -fembed-offload-object=FILE
  emits,            // -emit-obj, -emit-llvm-bc, -emit-llvm, -S: the kind of output
  device,           // -fcuda-is-device
  relocatable,      // -fgpu-rdc
  cuid,             // -cuid=ID
  target_cpu,       // -target-cpu NAME
  main_file,        // -main-file-name NAME
  compilation_dir,  // -fdebug-compilation-dir=, -fcoverage-compilation-dir=
  search_path,      // -internal-isystem DIR, -internal-externc-isystem DIR
  language,         // -x LANGUAGE
  optimization,     // -O2 and the like; the value is the text after -O
  device_library,   // -mlink-builtin-bitcode FILE, -mlink-bitcode-file FILE
  // User options: macros, search paths, files to include first.
  preprocessing,
  warning,  // which warnings are given, and whether they are errors
  remark,   // which of the optimizer's remarks are given
  look,     // how messages look, whatever they say: colours, width
  // File names go into the output in a form that cannot be found by searching it: profiles,
  // coverage, sanitizers, compressed debug information. Implies records_paths.
  hashes_names,
  records_paths,  // debug information: a compilation_dir then matters
};

// The arguments [first, first + count) and the value of the option, if it has one.
struct Cc1Argument {
  Cc1Role role = Cc1Role::plain;
  std::size_t first = 0;
  std::size_t count = 1;
  std::string value;
};

// Reads the arguments after "-cc1", of clang 15 and later. Error: an argument that is unknown, or
// that may write, print or load more than the roles account for; the message names it. Thread-safe.
Result<std::vector<Cc1Argument>> read_cc1(const std::vector<std::string>& arguments);

// Whether an option of LLVM's backend ("-inline-threshold=100") only steers code generation, and
// prints or writes nothing.
bool is_quiet_backend_option(const std::string& option);

// Whether a word that clang's driver gets beside others is an option that only steers a compile.
bool is_quiet_driver_option(const std::string& option);

}  // namespace hipcache::compiler

#endif
