// Whether a fixed list has a word, or a beginning of it. For short lists: each look-up compares with all.
#ifndef HIPCACHE_BASE_HOLDS_H
#define HIPCACHE_BASE_HOLDS_H

#include <algorithm>
#include <string_view>

namespace hipcache {

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

}  // namespace hipcache

#endif
