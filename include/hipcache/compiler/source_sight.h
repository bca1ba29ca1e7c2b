// What a compile may see of its sources beside their tokens, as far as its command tells.
//
// Problem: a comment or a blank mostly changes no output. But options record sources and their places (debug
// information, coverage, profiles), and some warnings read comments or columns.
// Choice: clang's options read the command. An option that nobody has judged may see the bytes. Of the others, the ones
// whose names say that they record, measure or keep something of the source see the bytes too. docs/internals/proof.md
// lists them, and what was found in the sources of clang and gcc. Rejected: a list of all harmless options; there are
// some 3,000, and each release adds more.
//
// Messages and outputs decide further (daemon/steps/source_sight.h).
#ifndef HIPCACHE_COMPILER_SOURCE_SIGHT_H
#define HIPCACHE_COMPILER_SOURCE_SIGHT_H

#include <string>
#include <vector>

namespace hipcache::compiler {

struct SourceSight {
  enum class Sees { bytes, places, tokens };
  Sees sees = Sees::tokens;
  bool checks_indentation = false;  // -Wmisleading-indentation, also within -Wall
  bool is_c_family = false;         // the source is C, C++, HIP or the like, and no assembly or IR
  bool is_cxx = false;              // it has raw strings and digit separators
};

// `arguments`: of a driver, or of "clang -cc1", with the program first.
SourceSight source_sight(const std::vector<std::string>& arguments);

// Whether some word of a driver's command may record all macros, print them, or hand options on to programs that do.
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
