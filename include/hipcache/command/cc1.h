// The arguments of `clang -cc1`, looked at with clang's own table of frontend options.
//
// A cc1 command is trusted to write the files that its roles name and nothing else only if every argument is known
// and none is on the list of those that name, print, load or emit more. What an argument means for the cache is its
// role; everything without a special one is kPlain and part of every key. Rejected: a list of harmless arguments (there
// are 1,900, and each release adds some); matching by spelling (arity matters: "-o" may be the value of "-D").
#ifndef HIPCACHE_COMMAND_CC1_H
#define HIPCACHE_COMMAND_CC1_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::command {

enum class Cc1Role {
  plain,
  source,           // the input file
  output,           // -o FILE
  depfile,          // -dependency-file FILE
  split_dwarf,      // -split-dwarf-output FILE
  stack_usage,      // -stack-usage-file FILE
  dependency,       // shapes the depfile alone: -MT, -MP, -MV, -sys-header-deps
  fatbin,           // -fcuda-include-gpubinary FILE, -fembed-offload-object=FILE
  emits,            // -emit-obj, -emit-llvm-bc, -emit-llvm, -S: what the output is
  device,           // -fcuda-is-device
  relocatable,      // -fgpu-rdc
  cuid,             // -cuid=ID
  target_cpu,       // -target-cpu NAME
  main_file,        // -main-file-name NAME
  compilation_dir,  // -fdebug-compilation-dir=, -fcoverage-compilation-dir=
  search_path,      // -internal-isystem DIR, -internal-externc-isystem DIR
  language,         // -x LANGUAGE
  optimization,     // -O2 and the like; the value is what follows -O
  device_library,   // -mlink-builtin-bitcode FILE, -mlink-bitcode-file FILE
  preprocessing,    // of the user's: macros, search paths, files to include first
  warning,          // which warnings are given, and whether they are errors
  remark,           // which of the optimizer's remarks are given
  hashes_names,   // file names go into the output in a form that cannot be read there: profiles, coverage, sanitizers,
                  // compressed debug information; counts as records_paths too
  records_paths,  // debug information: what makes a compilation_dir count
};

// The arguments [first, first + count) and the value of the option, if it has one.
struct Cc1Argument {
  Cc1Role role = Cc1Role::plain;
  std::size_t first = 0;
  std::size_t count = 1;
  std::string value;
};

// Understands the arguments after "-cc1", of clang 15 and later. Error: an argument that is unknown, or that may write,
// print or load more than is accounted for; the message names it. Thread-safe.
Result<std::vector<Cc1Argument>> read_cc1(const std::vector<std::string>& arguments);

// Whether an option of LLVM's backend ("-inline-threshold=100") only steers code generation, and prints or writes
// nothing.
bool is_quiet_backend_option(const std::string& option);

}  // namespace hipcache::command

#endif
