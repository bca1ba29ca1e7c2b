// What a compile may see of its sources beside their tokens, as far as its command tells.
//
// Problem: a comment or a blank mostly changes no output. But options record sources and their places (debug
// information, coverage, profiles), some warnings read comments or columns, and other languages have other comments.
// Choice: a list of permissions, src/compiler/options/permitted_options.inc. clang's option table reads the command and
// resolves clang's aliases. A compile is asked less than bytes only if each option of it, and each language, has been
// judged for the compiler that is named. docs/internals/proof.md says how. Whatever is on no list makes it bytes, and
// lets every macro count. Rejected: a list of exceptions. Each release adds options, and each option has more spellings
// than anybody thinks of; a name that is forgotten here costs a compile, there it gave a wrong object.
//
// Messages and outputs decide further (daemon/run/sight.h).
#ifndef HIPCACHE_COMPILER_SOURCE_SIGHT_H
#define HIPCACHE_COMPILER_SOURCE_SIGHT_H

#include <cstddef>
#include <string>
#include <vector>

namespace hipcache::compiler {

struct SourceSight {
  enum class Sees { bytes, places, tokens };
  Sees sees = Sees::tokens;
  bool checks_indentation = false;  // -Wmisleading-indentation, also within -Wall, or another one that compares columns
  bool is_c_family = false;         // the source is C, C++ or HIP
  bool is_cxx = false;              // it has raw strings and digit separators
  bool is_judged = true;            // every option is judged, whatever it sees: macros may be left out of keys
  std::string because;              // the option that asks for most: "-g"; "" if the compile sees tokens
};

// `arguments`: of a driver, or of "clang -cc1", with the program first.
SourceSight source_sight(const std::vector<std::string>& arguments);

// Whether the outputs of a driver's command may show macros that no source uses. They do not if the command is judged,
// and compiles one source by -c.
bool may_record_macros(const std::vector<std::string>& arguments);

// Where a command defines or undefines a macro by -D or -U, joined or apart.
struct MacroArgument {
  std::size_t first = 0;  // index of its word
  std::size_t count = 1;  // 2 if the macro is the next word
  std::string text;       // "-DNAME=VALUE"
};
std::vector<MacroArgument> macro_arguments(const std::vector<std::string>& arguments);

}  // namespace hipcache::compiler

#endif
