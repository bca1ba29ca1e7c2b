// A fixed list of words, written as one text: " word other-word ", a blank around each word.
//
// A table with a line for each word would take a page where this takes a paragraph. A look-up searches the text, so
// it is for lists that no hit needs.
#ifndef HIPCACHE_BASE_WORD_LIST_H
#define HIPCACHE_BASE_WORD_LIST_H

#include <string>
#include <string_view>

namespace hipcache {

// False for an empty word and for one that holds a blank.
inline bool lists(std::string_view words, std::string_view word) {
  return !word.empty() && word.find(' ') == std::string_view::npos &&
         words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

}  // namespace hipcache

#endif
