// Puts a fatbin into a host object that was compiled with a placeholder in its place.
//
// The problem: the driver compiles the host last, since the object contains the fatbin, so every change of any device's
// code costs a compile of the host. The choice: compile it with a few bytes instead, and give the section .hip_fatbin
// its contents afterwards: what follows in the file moves, and nothing else changes, as no symbol or relocation knows
// the fatbin's size. Rejected: objcopy --update-section, and LLVM's library behind it, which lays the file out
// otherwise than LLVM 15's own writer does; a placeholder of the fatbin's size, which is known too late.
//
// Trusted only as far as it proves itself: the layout that is made here for the object's own sections must be, byte for
// byte, the object that is given. That the compiler writes the same code around any fatbin is proved apart
// (plan/host_apart.h).
#ifndef HIPCACHE_PLAN_FATBIN_SPLICE_H
#define HIPCACHE_PLAN_FATBIN_SPLICE_H

#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::plan {

// Like a fatbin it is no C string and of no size that a linker merges: such constants go into other kinds of sections.
inline constexpr std::string_view kPlaceholderFatbin{"hipcache\0in the place of a fatbin\0\1", 35};

// The object that the compiler would have written with `fatbin`. Error: `object` is no ELF relocatable of 64 bits,
// little endian, of the layout of LLVM's writer, with the placeholder in its section .hip_fatbin. Any bytes may be
// given.
Result<std::string> splice_fatbin(std::string_view object, std::string_view fatbin);

// Whether the object is complete without a fatbin. clang is given the fatbin of every HIP source, and writes it only
// where the source has a kernel or a device's variable; without one the object is the same around any fatbin. True only
// if the object is as above but for the placeholder: it has none of the sections of a fatbin, and neither the
// placeholder nor a name of the symbols that refer to a fatbin occurs in it. Any bytes may be given.
bool needs_no_fatbin(std::string_view object);

}  // namespace hipcache::plan

#endif
