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
#include "hipcache/base/text.h"

namespace hipcache::inputs {

// What each character of a source may be part of.

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
// '@', '`' and a lone backslash are signs to no compiler that splits words at them.
inline bool is_of_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '@' || c == '`' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// All signs of C, C++, CUDA, Objective-C and their proposals, as pairs of characters.
inline constexpr std::string_view kPairs =
    "++ -- -> >* += -= *= /= %= ^= &= |= == != <= >= => && || << >> :: .* .. ## <: :> <% %> %: :% [: :] ^^ |> <? >? ?= "
    "?: // /* ** #@ @# := <- ~= ";

inline constexpr auto kJoined = [] {
  std::array<std::array<bool, 128>, 128> joined{};
  for (std::size_t at = 0; at + 2 < kPairs.size(); at += 3)
    joined[static_cast<unsigned char>(kPairs[at])][static_cast<unsigned char>(kPairs[at + 1])] = true;
  return joined;
}();

// Whether some compiler makes a token in which these two follow each other.
inline bool may_join(char left, char right) {
  const auto one = static_cast<unsigned char>(left);
  const auto two = static_cast<unsigned char>(right);
  return one < 128 && two < 128 && kJoined[one][two];
}

// One unit of a source text: what a scanner hands on.

struct Unit {
  enum class Kind : std::uint8_t {
    word,     // an identifier, a keyword or a number
    literal,  // a character or string literal without its prefix
    sign,     // one character
    rest,     // a header's name, or the rest of a line that no compiler takes apart
  };
  Kind kind = Kind::sign;
  std::string_view text;
  bool is_adjacent = false;  // nothing lies between it and the unit before
  bool begins_line = false;  // the first one of a line, joined lines being one
  bool is(std::string_view what) const { return text == what; }
};

// What the line is that a unit belongs to.
enum class Directive : std::uint8_t { none, unnamed, define, condition, header, text, other };

// Words that a scanner of sources must know.

using namespace std::string_view_literals;

inline constexpr std::array kConditions = {"if"sv,       "ifdef"sv, "ifndef"sv, "elif"sv, "elifdef"sv,
                                           "elifndef"sv, "else"sv,  "endif"sv,  "undef"sv};
inline constexpr std::array kIncludes = {"include"sv, "include_next"sv, "import"sv, "embed"sv};
inline constexpr std::array kAsksForHeader = {"__has_include"sv, "__has_include_next"sv, "__has_embed"sv};
inline constexpr std::array kRawPrefixes = {"R"sv, "LR"sv, "uR"sv, "UR"sv, "u8R"sv};
inline constexpr std::array kBeforeBodies = {"while"sv, "for"sv, "if"sv, "switch"sv};

// By the word behind '#'.
inline Directive directive_named(std::string_view word) {
  if (word == "define") return Directive::define;
  if (holds(kConditions, word)) return Directive::condition;
  if (holds(kIncludes, word)) return Directive::header;
  return word == "error" || word == "warning" ? Directive::text : Directive::other;
}

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

// The tokens of a source as short hashes, to say later which one differs.

struct Sketch {
  TokenDigests digests;
  std::vector<std::uint16_t> tokens;
};

}  // namespace hipcache::inputs

#endif
