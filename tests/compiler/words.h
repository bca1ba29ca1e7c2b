// Command lines as they are typed, for tests: words apart by blanks, '' for an empty one.
#ifndef HIPCACHE_TESTS_COMPILER_WORDS_H
#define HIPCACHE_TESTS_COMPILER_WORDS_H

#include <sstream>
#include <string>
#include <vector>

namespace hipcache::compiler::testing {

inline std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word == "''" ? std::string() : word);
  return result;
}

}  // namespace hipcache::compiler::testing

#endif
