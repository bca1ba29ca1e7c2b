// What a compiler can see of one source file: digests of its tokens, and the names in it.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_SOURCE_TEXT_H
#define HIPCACHE_SRC_INPUTS_TOKENS_SOURCE_TEXT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/checksum.h"
#include "hipcache/base/digest.h"

namespace hipcache::inputs {

// A name is known by 64 bits of its hash. Two names with one hash are taken for the same: that asks too much, never too
// little.
using Name64 = std::uint64_t;
inline Name64 name64(std::string_view name) { return checksum_of(name); }

// The answers to the three questions about tokens (path_set.h). If the tokens of a text depend on the language, or are
// not known, each is a digest of the bytes.
struct TokenDigests {
  Digest in_place;
  Digest in_order;
  Digest tokens;
};

// A condition that lines of a file lie under.
struct Guard {
  enum class Holds : std::uint8_t { if_defined, if_undefined, never };
  Name64 name = 0;           // of a macro
  std::uint32_t around = 0;  // the guard that this one lies under: its index + 1, or 0
  Holds holds = Holds::if_defined;
  bool may_be_predefined = false;  // the compiler may define the macro without being told
};

// A #define.
struct MacroDefinition {
  Name64 name = 0;
  std::uint64_t body = 0;       // hash of its tokens, whatever lies between them
  std::uint32_t at = 0;         // of its name in SourceNames::macro_names
  std::uint32_t length = 0;     // of its name
  std::uint32_t guard = 0;      // what it lies under: index in SourceNames::guards + 1, or 0
  bool has_several = false;     // its body has more than one token
  bool makes_texts = false;     // #parameter
  bool pastes = false;          // ##
  bool begins_unnamed = false;  // may begin a lambda or an unnamed type
};

// That the body of a macro has a word that is no parameter.
struct WordUse {
  Name64 word = 0;
  std::uint32_t macro = 0;  // index in SourceNames::macros
  auto operator<=>(const WordUse&) const = default;
};

// A set of names that says "no" or "perhaps".
class NameFilter {
 public:
  void add(Name64 name) { words_[name / 64 % kWords] |= std::uint64_t{1} << (name % 64); }
  bool may_hold(Name64 name) const { return (words_[name / 64 % kWords] >> (name % 64) & 1) != 0; }

 private:
  static constexpr std::size_t kWords = 16;
  std::array<std::uint64_t, kWords> words_{};
};

struct SourceNames {
  std::vector<Name64> live;             // words outside of definitions; sorted, each once
  std::vector<MacroDefinition> macros;  // in the order of the file
  std::vector<WordUse> uses;            // sorted by word
  std::vector<Guard> guards;
  NameFilter used;  // the words of `uses`
  std::string macro_names;
  std::vector<Name64> named_types;   // words behind "struct" and the like; a macro there may leave the type unnamed
  std::vector<Name64> undefined;     // names behind #undef; sorted, each once
  std::vector<std::string> pasted;   // words beside ## that are no parameters
  bool is_known = true;              // false: there may be other names
  bool is_data = false;              // a program, an archive, bitcode or the like: no source
  bool differs_by_language = false;  // raw strings or digit separators, which C reads in another way
  bool begins_unnamed = false;       // outside of definitions: may begin a lambda or an unnamed type
  bool includes_by_macro = false;    // #include NAME
  bool reads_data = false;           // #embed, or an assembler's directive in a string
};

inline std::string_view name_of(const MacroDefinition& macro, const SourceNames& in) {
  return std::string_view(in.macro_names).substr(macro.at, macro.length);
}

// Whether the source has the word anywhere.
bool has_word(const SourceNames& source, Name64 word);

struct SourceText {
  TokenDigests digests;               // if asked for (scan_source), as the next one
  std::vector<std::uint16_t> tokens;  // a short hash of each
  SourceNames names;                  // if asked for
};

}  // namespace hipcache::inputs

#endif
