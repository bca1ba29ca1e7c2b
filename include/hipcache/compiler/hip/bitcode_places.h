// What a device's or a host's bitcode says of where something stands in its source.
//
// Problem: an edit that changes no token may change such bitcode. A list of what shows places never ends: __LINE__ is a
// token, but annotations, debug information, inline assembly and warnings of attributes have places of their own.
// Choice: the bitcode is read against lists of what was judged: blocks, records, attributes, metadata, and functions
// and variables that are named "llvm.". What is on no list counts as a place.
#ifndef HIPCACHE_COMPILER_HIP_BITCODE_PLACES_H
#define HIPCACHE_COMPILER_HIP_BITCODE_PLACES_H

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::hip {

// The inline assembly of a module. The front end notes for each statement the places of its lines ("srcloc").
struct InlineAssembly {
  struct Statement {
    std::string text;         // as LLVM has it: "$0" for "%0"
    std::string constraints;  // operands and clobbers
    std::uint64_t flags = 0;  // side effects, dialect
    auto operator<=>(const Statement&) const = default;
  };
  std::set<Statement> statements;
  std::set<std::vector<std::uint64_t>> places;

  // Whether no statement's text is, or begins with, what a macro expands to.
  bool is_outside_of_macros() const;
  void add(const InlineAssembly& other);
  // Whether the other one has all statements and all places of this one.
  bool is_within(const InlineAssembly& other) const;
};

struct BitcodePlaces {
  // It has something that was not judged, or cannot be read.
  bool has_others = true;
  InlineAssembly assembly;
};

BitcodePlaces places_in_bitcode(std::string_view bitcode);

}  // namespace hipcache::hip

#endif
