// Reads clang's AST files (precompiled headers, modules), and changes one record of a precompiled header.
#ifndef HIPCACHE_COMPILER_AST_FILE_H
#define HIPCACHE_COMPILER_AST_FILE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::compiler {

// Whether the file certainly has headers and none has a time, as with -fno-pch-timestamp. `head`: the first bytes of
// the file, with the list in them. False for all that is not understood or damaged. Thread-safe.
bool lacks_times(std::string_view head);

// The declarations that clang reads from a precompiled header before anything else. One record has their numbers. Clang
// defines the functions among them in this order, which is not the order of a compile without the header.
//
// The numbers take a variable number of bits. They are permuted where they stand: their sum of bits stays, so nothing
// else of the file moves.
struct BitRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// Where each number stands; empty if the header has no such record. Nothing if the bytes are no precompiled header, are
// damaged, or have such a record in another form. Thread-safe.
std::optional<std::vector<BitRange>> eager_declarations(std::string_view header);

// The header with those numbers in another order. REQUIRES: the places are eager_declarations() of the header, and
// `order` has each index of them once.
std::string with_eager_order(std::string_view header, const std::vector<BitRange>& places,
                             const std::vector<std::size_t>& order);

}  // namespace hipcache::compiler

#endif
