// What a compiler's messages show of the sources beside their tokens.
//
// A message says where something stands and shows that line. Its text comes from declarations and statements, or from
// more: clang looks for a macro that stands for NULL (-Wuninitialized) or for [[fallthrough]], and both compilers look
// for a similar name ("did you mean"). So each line has to be of a form and each warning of a list that were judged,
// for clang 15 to 23 and gcc 12 to 16. Whatever else is printed proves nothing.
#ifndef HIPCACHE_SRC_DAEMON_RUN_MESSAGES_H
#define HIPCACHE_SRC_DAEMON_RUN_MESSAGES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::daemon {

struct JudgedMessages {
  std::string text;                // without colours
  std::vector<std::string> files;  // in which a place is shown, as the compiler wrote their names
};

// nullopt if some line has not been judged, or if there is no warning at all.
std::optional<JudgedMessages> judged_messages(std::string_view printed);

}  // namespace hipcache::daemon

#endif
