// Finds the constants of a module that only say where inline assembly stands in its source.
//
// Problem: clang notes for each asm statement the offset of its text among all bytes that it read ("srcloc"). Any edit
// before it, in any file, changes that number and nothing else, and the back end, which needs it for messages alone,
// would run again.
// Choice: the numbers are found by their use: constants of the module that metadata nodes hold which instructions refer
// to by the kind "srcloc". All else of the module counts as before, also how often and where such constants are used.
// Two modules are taken for equal if they differ in nothing but these numbers.
// A constant can be code's as well, by having the same value; then an edit gives the code's constant a place of its
// own, and the modules differ. They would be taken for equal only if code used such a number before and after an edit,
// and the edit changed it to exactly the new place. Rejected: LLVM's own reader, which reads no bitcode of later
// versions.
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_ASSEMBLY_PLACES_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_ASSEMBLY_PLACES_H

#include <cstdint>
#include <set>
#include <string_view>

#include "compiler/hip/codegen/bitcode_reader.h"

namespace hipcache::hip {

// Numbers the values of a module as LLVM does: globals first, then the constants of the module.
class ModuleValues {
 public:
  // Counts the record. Whether it is a constant of the module; `number()` is its number then.
  bool is_constant(const BitcodeRecord& record);
  std::uint64_t number() const { return next_ - 1; }

 private:
  std::uint64_t next_ = 0;
};

// The numbers of such constants. None if the module has none, or has what is not known well enough.
std::set<std::uint64_t> assembly_places(std::string_view bitcode);

// Whether it is certain that the module has neither such constants nor debug information.
bool has_no_places(std::string_view bitcode);

}  // namespace hipcache::hip

#endif
