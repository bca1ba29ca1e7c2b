// What a compiler's messages show beside tokens of the sources: lines of files, and names of files.
//
// A message says where something stands and shows that line. Its text comes from declarations and statements, or from
// more: clang looks for a macro that stands for NULL (-Wuninitialized) or for [[fallthrough]], and both compilers look
// for a similar name ("did you mean"). So each line has to be of a form and each warning of a list that were judged,
// for clang 15 to 23 and gcc 12 to 16. Whatever else is printed proves nothing.
//
// Messages name files as the command does. With CMake, which uses absolute names, one warning would tie a result to its
// checkout. So the names with which such lines begin are stored as portable ones.
#ifndef HIPCACHE_SRC_DAEMON_RUN_MESSAGES_H
#define HIPCACHE_SRC_DAEMON_RUN_MESSAGES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

struct JudgedMessages {
  std::string text;                // without colours
  std::vector<std::string> files;  // in which a place is shown, as the compiler wrote their names
};

// nullopt if some line has not been judged, or if there is no warning at all.
std::optional<JudgedMessages> judged_messages(std::string_view printed);

// Puts tokens for roots into the names of places in what a run printed. Leaves a text as it is if one of its lines has
// no known form, or if the width of a terminal breaks lines: then the length of names counts.
// REQUIRES: escaped texts (Roots::escaped).
void make_portable(cache::ActionResult& said, const std::vector<std::string>& arguments,
                   const inputs::RunContext& from);

}  // namespace hipcache::daemon

#endif
