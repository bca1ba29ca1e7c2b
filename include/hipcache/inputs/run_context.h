// The request context: the part of a request that its inputs depend on. The caller keeps it alive
// while calls use it. Immutable while in use, so safe to share between threads.
#ifndef HIPCACHE_INPUTS_RUN_CONTEXT_H
#define HIPCACHE_INPUTS_RUN_CONTEXT_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/roots.h"

namespace hipcache::inputs {

// A macro of the command line that the keys lack: "-DNAME=VALUE", "-DNAME", "-UNAME".
struct Macro {
  std::string name;
  std::string text;
  bool operator==(const Macro&) const = default;
};

struct RunContext {
  std::string working_directory;         // physical, absolute
  std::vector<std::string> environment;  // NAME=value, sorted by the caller: sort_environment
  Roots roots;                           // path sets and answers name files in them portably
  // The id that hipcache gives the translation unit; "" if the user's own counts. It lacks the macros below.
  std::string cuid;
  // For the steps of a plan of relocatable code: the id that they get instead, which is made of all macros.
  std::string relocatable_cuid;
  // For an opaque compile, the output names that its key leaves out; portable.
  std::string output_names;

  // The client's standard streams, as launch_describe_streams says (hipcache/launcher/request.h).
  std::string streams;
  // As the client says: PWD is another name of the working directory (hipcache/protocol/messages.h).
  bool pwd_leads_here = false;
  // Plan::look_options of the plan; "" before there is one.
  std::string look_options;

  // Path sets ask about the macros below, and about any that another command has in their place. Without it, the keys
  // have all macros.
  bool leaves_out_macros = false;
  std::vector<Macro> macros;                   // in the command's order
  std::vector<std::string> macro_definitions;  // "-DNAME=VALUE" of all macros, also of those that the keys have

  // The id that the steps get.
  const std::string& given_cuid() const { return relocatable_cuid.empty() ? cuid : relocatable_cuid; }
  // The value, or null. REQUIRES: sorted.
  const char* variable(std::string_view name) const;
  // The path that a name in a path set means for this request; "" if none.
  std::string path_of(const std::string& name) const;
  // SOURCE_DATE_EPOCH if it is a date that clang accepts: a number of seconds up to the end of the
  // year 9999. Else "", also if unset: with any other value clang fails, whether or not a source
  // asks for the date.
  std::string source_date() const;
  // The answer to a question about the standard streams (Question::terminal); "" for no.
  std::string of_terminal(std::string_view question) const;
  // PWD if it names the working directory, else the working directory, as clang does.
  std::string logical_directory() const;
  // PATH's directories, absolute. Empty entries are skipped, as LLVM skips them.
  std::vector<std::string> program_directories() const;
};

// By name, so that RunContext::variable can search.
void sort_environment(std::vector<std::string>& environment);

}  // namespace hipcache::inputs

#endif
