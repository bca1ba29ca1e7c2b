// A compile command, understood: what hipcache must know about it to cache it, found with clang's own option table.
//
// The user's argv is kept as it is (rewriting or reordering it changes objects). Whatever is not known to be safe is
// Uncacheable, with a reason from the fixed list; the caller then runs the command untouched. Response files are
// expanded for understanding only.
#ifndef HIPCACHE_COMMAND_INVOCATION_H
#define HIPCACHE_COMMAND_INVOCATION_H

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/command/output_names.h"

namespace hipcache::command {

// An AMD GPU with its features as the user spells it: "gfx90a", "gfx90a:sramecc+:xnack-".
struct ArchId {
  std::string name;
  auto operator<=>(const ArchId&) const = default;
};

struct Uncacheable {
  std::string reason;  // a name of reason.h, counted and shown
  std::string detail;  // the option or file that caused it; for the log
};

// How a command is served.
enum class Route {
  planned,    // the driver's jobs, each cached by itself
  undivided,  // the command as it was typed, cached as one step (command/undivided.h)
};

// What an undivided command makes: how its step is called and counted.
enum class Making { compile, link, archive };

// Of an undivided command only argv, expanded, response files, object, making, updates, without_archs, output_names,
// colour_given and writes_command are known; `object` then is just the name that its history goes by.
struct Invocation {
  Route route = Route::planned;
  Making making = Making::compile;
  std::string updates;                      // of `archive`: what it reads and writes, as typed
  std::vector<std::string> argv;            // as typed
  std::vector<std::string> expanded;        // with response files expanded in place; [0] is the compiler
  std::vector<std::string> response_files;  // read for the expansion; inputs of the request
  bool links = false;                       // a link of relocatable device code: no source, no depfile, no id
  std::string source;                       // as typed
  std::string object;                       // as typed, or what clang would name it; of a link, what it makes
  bool driver_names_outputs = false;        // after the source and each target: `object` is none of them
  std::optional<std::string> depfile;       // -MF, or what clang would name it with -MD/-MMD
  std::vector<ArchId> archs;                // sorted as strings, unique; empty: the compiler's default
  std::vector<std::string> without_archs;   // `expanded` less the arch list: what the request key is made of
  std::vector<std::string> for_cuid;        // the same less what only shapes or names the depfile (-MD, -MF, -MT, ...)
  bool by_script = false;                   // the driver may be a script that runs clang: hipcc
  bool new_driver = false;                  // --offload-new-driver
  bool user_cuid = false;                   // -cuid= or -fuse-cuid= was given: respected
  bool colour_given = false;                // -f[no-]color-diagnostics or the like was given
  bool writes_command = false;              // -MJ: a file that has the command line in it
  std::optional<OutputNames> output_names;  // of an undivided command: where its outputs may have other names
};

// Understands argv (argv[0] is the compiler). Reads response files relative to `working_directory`.
// Thread-safe; the option table is built once.
class Parser {
 public:
  Parser();
  ~Parser();
  std::variant<Invocation, Uncacheable> parse(const std::vector<std::string>& argv,
                                              const std::string& working_directory) const;

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace hipcache::command

#endif
