// What a compiler can see of one source file: digests of its tokens, and the names in it.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_SOURCE_TEXT_H
#define HIPCACHE_SRC_INPUTS_TOKENS_SOURCE_TEXT_H

#include <algorithm>
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
inline bool is_of_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
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

// What the line is that a unit belongs to. `other`: one that nobody has judged.
enum class Directive : std::uint8_t { none, unnamed, define, condition, header, text, pragma, other };

// What reads the units of a text, in their order. Used by one thread.
class UnitReader {
 public:
  virtual ~UnitReader() = default;
  // A line with that directive begins. `word`: its name.
  virtual void begin_directive(Directive directive, std::string_view word, std::uint64_t line) = 0;
  // `next`: the character behind the unit, or 0.
  virtual void take_unit(const Unit& unit, Directive directive, std::uint64_t line, char next) = 0;
  virtual void end_line() = 0;
};

// Words that a scanner of sources must know.

using namespace std::string_view_literals;

inline constexpr std::array kConditions = {"if"sv,       "ifdef"sv, "ifndef"sv, "elif"sv, "elifdef"sv,
                                           "elifndef"sv, "else"sv,  "endif"sv,  "undef"sv};
inline constexpr std::array kIncludes = {"include"sv, "include_next"sv};
inline constexpr std::array kAsksForHeader = {"__has_include"sv, "__has_include_next"sv, "__has_embed"sv};
inline constexpr std::array kRawPrefixes = {"R"sv, "LR"sv, "uR"sv, "UR"sv, "u8R"sv};
inline constexpr std::array kBeforeBodies = {"while"sv, "for"sv, "if"sv, "switch"sv, "constexpr"sv};

// By the word behind '#'.
inline Directive directive_named(std::string_view word) {
  if (word == "define") return Directive::define;
  if (holds(kConditions, word)) return Directive::condition;
  if (holds(kIncludes, word)) return Directive::header;
  if (word == "pragma") return Directive::pragma;
  return word == "error" || word == "warning" ? Directive::text : Directive::other;
}

// A name is known by 64 bits of its hash. Two names with one hash are taken for the same: that asks too much, never too
// little.
using Name64 = std::uint64_t;
inline Name64 name64(std::string_view name) { return checksum_of(name); }

// The answers to the three questions about tokens (path_set.h). If the text has anything that is not permitted
// (scan.h), each is a digest of the bytes.
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
  std::uint32_t at = 0;      // of its name in SourceNames::macro_names
  std::uint32_t length = 0;  // of its name
  std::uint32_t guard = 0;   // what it lies under: index in SourceNames::guards + 1, or 0
  std::uint32_t begin = 0;   // its words that are no parameters: in SourceNames::body_words
  std::uint32_t count = 0;
  bool makes_texts = false;     // #parameter
  bool pastes = false;          // ##
  bool begins_unnamed = false;  // may begin a lambda or an unnamed type
  bool ends_in_head = false;    // a loop or condition, whose body follows
  bool is_unjudged = false;     // has something that nobody has judged
  bool assembles = false;       // inline assembly of a text that is not known
  bool makes_pragma = false;    // of the text of its only argument
};

// That the body of a macro has a word that is no parameter.
struct WordUse {
  Name64 word = 0;
  std::uint32_t macro = 0;  // index in SourceNames::macros
  // An argument follows that is a judged pragma, whatever its words are defined as: for #argument they are not
  // expanded.
  bool gives_pragma = false;
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

// Something outside of definitions that no list permits (tokens/judged.h).
struct Unjudged {
  std::uint64_t line = 0;
  std::string what;         // for people: "#pragma once more"
  std::uint32_t guard = 0;  // what it lies under, as a definition's
  bool assembles = false;   // inline assembly of a text that is not known, and nothing else
};

struct SourceNames {
  std::vector<Name64> live;             // words outside of definitions; sorted, each once
  std::vector<MacroDefinition> macros;  // in the order of the file
  std::vector<std::uint32_t> by_name;   // the macros' indexes, sorted by name
  std::vector<Name64> body_words;
  std::vector<WordUse> uses;  // sorted by word
  std::vector<Guard> guards;
  NameFilter used;     // the words of `uses`
  NameFilter defined;  // the names of `macros`
  std::string macro_names;
  std::vector<Name64> named_types;  // words behind "struct" and the like; a macro there may leave the type unnamed
  std::vector<Name64> undefined;    // names behind #undef; sorted, each once
  std::vector<Unjudged> unjudged;
  std::string unknown_by;            // why there may be other names ("line 7 has a '@'"); "" if there are none
  bool is_data = false;              // a program, an archive, bitcode or the like: no source
  bool differs_by_language = false;  // raw strings or digit separators, which C reads in another way
  bool begins_unnamed = false;       // outside of definitions: may begin a lambda or an unnamed type

  bool is_known() const { return unknown_by.empty(); }
};

inline std::string_view name_of(const MacroDefinition& macro, const SourceNames& in) {
  return std::string_view(in.macro_names).substr(macro.at, macro.length);
}

// Calls `take` with the index of each definition of that name.
template <typename Take>
void for_each_definition(const SourceNames& source, Name64 name, Take take) {
  if (!source.defined.may_hold(name)) return;
  const auto less = [&](std::uint32_t index, Name64 wanted) { return source.macros[index].name < wanted; };
  for (auto at = std::lower_bound(source.by_name.begin(), source.by_name.end(), name, less);
       at != source.by_name.end() && source.macros[*at].name == name; ++at)
    take(*at);
}

inline bool defines(const SourceNames& source, Name64 name) {
  bool found = false;
  for_each_definition(source, name, [&](std::uint32_t) { found = true; });
  return found;
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
