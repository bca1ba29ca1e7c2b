// The deferred fatbin: puts a fatbin into a host object that was compiled with a placeholder.
//
// Problem: the driver compiles the host last, because the object contains the fatbin. So every
// change of device code costs a host compile.
// Choice: compile the host with a few placeholder bytes, and fill the section .hip_fatbin
// afterwards. What follows in the file moves; nothing else changes, because no symbol or relocation
// knows the fatbin's size.
// Rejected: objcopy --update-section, and LLVM's library behind it, which lay the file out
// differently from LLVM 15's own writer. A placeholder of the fatbin's size, which is known too
// late.
//
// The splice checks itself: the layout that this code computes for the object's own sections must
// equal the given object, byte for byte. Another step proves that the compiler writes the same code
// around any fatbin (DeferredFatbin::proof in hip/plan.h).
#ifndef HIPCACHE_COMPILER_HIP_FATBIN_SPLICE_H
#define HIPCACHE_COMPILER_HIP_FATBIN_SPLICE_H

#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::hip {

// Like a fatbin, it is no C string and has no size that a linker merges. A compiler puts such
// constants into other kinds of sections.
inline constexpr std::string_view kPlaceholderFatbin{"hipcache\0in the place of a fatbin\0\1", 35};

// The object that the compiler would have written with `fatbin`. Error unless `object` is a 64-bit
// little-endian ELF relocatable in the layout of LLVM's writer, with the placeholder in its section
// .hip_fatbin. Safe for any bytes.
Result<std::string> splice_fatbin(std::string_view object, std::string_view fatbin);

// Whether the object is complete without a fatbin. clang gets a fatbin for every HIP source. It
// writes the fatbin only if the source has a kernel or a device variable; otherwise the object is
// the same with any fatbin. True only if the object has the layout above and contains none of
// these: a fatbin section, the placeholder, a symbol name that refers to a fatbin. Safe for any
// bytes.
bool needs_no_fatbin(std::string_view object);

}  // namespace hipcache::hip

#endif
