// A digest of a device's bitcode as its back end sees it, equal in every checkout.
//
// Problem: a module's bitcode holds the path of its source, so two checkouts never have equal
// bitcode. A translation unit whose code may depend on __FILE__ would run its back end in each
// checkout.
// Choice: walk the bit stream and digest the content without its encoding: every block, record and
// blob. The path of the source is taken relative to the base directory. Offsets that move with its
// length are left out, and so is the symbol table, which the writer derives from the module. A
// string from __FILE__ in the module, or a number computed from it, is a record like any other. So
// equal digests mean equal modules, whatever the front end did with the name of the checkout. The
// back end uses only the last part of the path itself, for a file symbol; the digest includes that
// part.
//
// Where inline assembly stands in the source is left out as well (src/compiler/hip/codegen/bitcode_digest.cpp): the
// back end uses it for messages alone, and a result of a back end that printed any is not stored.
//
// Rejected: bitcode of a source with another name, since the compiler would not get the user's
// command. Comparing code objects of two checkouts, since a third path may be longer, and values
// measured from it differ.
#ifndef HIPCACHE_COMPILER_HIP_BITCODE_DIGEST_H
#define HIPCACHE_COMPILER_HIP_BITCODE_DIGEST_H

#include <string_view>

#include "hipcache/base/digest.h"
#include "hipcache/base/roots.h"

namespace hipcache::hip {

// The digest of the plain bytes, if they cannot be read as bitcode, or if there is neither a base
// directory nor inline assembly.
Digest bitcode_digest(std::string_view bitcode, const Roots& roots);

}  // namespace hipcache::hip

#endif
