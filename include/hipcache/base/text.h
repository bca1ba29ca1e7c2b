// What several folders do with text.
#ifndef HIPCACHE_BASE_TEXT_H
#define HIPCACHE_BASE_TEXT_H

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache {

// Guesses which known name a misspelt one means.

// The number of letters that were inserted, left out, replaced, or swapped with their neighbour.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The candidate with the least distance, the first of several; "" if none is near. A short name may
// have one mistake, a longer one up to three.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// Makes text fit for people: log lines, reasons, statistics, explanations.
//
// Names that hipcache compares hold placeholders for directories that differ from run to run. The
// placeholders contain control characters, which must not reach a log or terminal. File names may
// contain such characters, too.

// The size of the control character with which the text begins; 0 if it begins with another one. Beyond ASCII: U+0080
// to U+009F, which some terminals obey, and those that change the order in which a text is shown (U+061C, U+200E,
// U+200F, U+202A to U+202E, U+2066 to U+2069) or end a line (U+2028, U+2029). REQUIRES: not empty
std::size_t size_of_control(std::string_view text);

// Stands for a request's temporary directory in stored messages.
inline constexpr std::string_view kStoredTemporaryDirectory = "/hipcache-request-directory";

// Replaces placeholders by "<base directory>", "<object>" and the like, and every other control
// character by "\n", "\t" or "\x1b". Other bytes stay as they are.
std::string readable(std::string_view text);

// Whether a fixed list has a word, or a beginning of it. For short lists: each look-up compares with all.

template <typename List, typename Word>
bool holds(const List& list, const Word& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Whether one of `prefixes` begins the word.
template <typename List>
bool holds_prefix_of(const List& prefixes, std::string_view word) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return word.starts_with(prefix); });
}

// A fixed list of words, written as one text: " word other-word ", a blank around each word.
//
// A table with a line for each word would take a page where this takes a paragraph. A look-up searches the text, so
// it is for lists that no hit needs.

// False for an empty word and for one that holds a blank.
inline bool lists(std::string_view words, std::string_view word) {
  return !word.empty() && word.find(' ') == std::string_view::npos &&
         words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// What a line of a file that people write begins and ends with, beside what it says.
inline constexpr std::string_view kBlanks = " \t\r";

inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// With `to` for each `from`. REQUIRES: `from` is not empty.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

// Without the line break at its end.
inline std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// The text as one word of a shell: in single quotes, within which only these stand for something else.
std::string shell_word(std::string_view text);

// No program can be given such arguments.
inline bool has_null(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](std::string_view word) { return word.find('\0') != word.npos; });
}

}  // namespace hipcache

#endif
