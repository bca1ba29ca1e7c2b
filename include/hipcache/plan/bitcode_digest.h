// What a back end sees of a device's bitcode, as a digest that is the same in every checkout.
//
// The problem: a module's bitcode holds the path of its source, so no bitcode of one checkout is that of another, and a
// unit whose code may depend on __FILE__ would run its back end in each of them. The choice: walk the bit stream, and
// digest everything but the encoding: every block, record and blob. The path of the source is taken relative to the
// base directory; offsets that move with its length, and the symbol table (made of the module by the writer), are left
// out. A string of __FILE__ that went into the module, or a number that was made of it, is a record like any other. So
// equal digests are equal modules, whatever the front end did with the name of the checkout. What the back end makes of
// the path itself is its last part, for a file symbol, which is in the digest.
//
// Rejected: bitcode of a source with another name (the compiler would not be asked what the user asks it); comparing
// code objects of two checkouts (a third path may be longer, and what was measured of it differ).
#ifndef HIPCACHE_PLAN_BITCODE_DIGEST_H
#define HIPCACHE_PLAN_BITCODE_DIGEST_H

#include <string_view>

#include "hipcache/base/digest.h"
#include "hipcache/base/roots.h"

namespace hipcache::plan {

// Of bytes that cannot be read as bitcode, and without a base directory, the digest of the bytes.
Digest bitcode_digest(std::string_view bitcode, const Roots& roots);

}  // namespace hipcache::plan

#endif
