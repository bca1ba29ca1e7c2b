// Which files may expand a macro that asks for the name of the file that uses it.
//
// Problem: a macro with __FILE__ names the file that uses it. A generated file that uses one ties the result to its
// build directory, even where the result does not show the name: sizeof(__FILE__). Most projects have such a macro, for
// errors, and most generated headers use none.
// Choice: words. A macro asks for its user's name if its definition has the word __FILE__, or the name of such a macro,
// and so on. A file may use one if it has its name as a word. All definitions of all files count, whatever conditions
// surround them, also those in comments. A definition that pastes words together (##) may make any name, so it asks.
// Where the rules for lines cannot tell, every file may.
// Rejected: the preprocessor's output with line markers. It costs a front end for each result.
//
// Installed headers are exempt as elsewhere (hipcache/inputs/mentions.h): their macros do not ask by themselves. They
// may use one of the project's.
//
// Not seen: a name that a macro of an installed header pastes together.
#ifndef HIPCACHE_SRC_INPUTS_MENTIONS_OWN_NAME_MACROS_H
#define HIPCACHE_SRC_INPUTS_MENTIONS_OWN_NAME_MACROS_H

#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace hipcache::inputs {

class OwnNameMacros {
 public:
  // Adds the definitions of a file that the compile read.
  void add(std::string_view text, bool is_installed);
  // After the files. Finds the macros that ask. The command's arguments may define macros, too; without any, every file
  // may use a macro that asks.
  void close(const std::vector<std::string>& arguments);

  // Whether the text has the name of a macro that asks, as a word. REQUIRES: close().
  bool may_be_used_in(std::string_view text) const;

 private:
  struct Definition {
    std::string_view name;
    std::vector<std::string_view> words;
  };
  void add_line(std::string_view line, bool is_installed);
  bool asks(const Definition& definition) const;
  // Whether the argument may define a macro that asks, or leads to definitions that are not seen.
  bool is_unclear(std::string_view argument) const;

  std::deque<std::string> texts_;  // what the views are of
  std::vector<Definition> definitions_;
  std::unordered_set<std::string_view> asking_;
  bool is_unclear_ = false;
};

}  // namespace hipcache::inputs

#endif
