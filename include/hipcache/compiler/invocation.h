// A parsed command: what hipcache must know to cache it.
//
// The user's argv is kept as it is, because rewriting or reordering it changes objects. A command
// that is not known to be safe is Uncacheable, with a reason from the fixed list; the caller then
// runs it untouched. Response files are expanded only for parsing.
#ifndef HIPCACHE_COMPILER_INVOCATION_H
#define HIPCACHE_COMPILER_INVOCATION_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/reason.h"

namespace hipcache::compiler {

// The names that an opaque compile of one source gives to its outputs: the object, the depfile, the
// depfile's target.
//
// Problem: the same compile with another -o is another command, though hardly any compiler writes
// the object's name into the object. A project that compiles a source for two libraries pays twice.
// Choice: if these names, and all options that derive names from them, are known, the key has
// placeholders instead. A stored result says which of its files is which. The result is searched
// for the names, in case it shows one all the same (daemon/run/relocatability.h).
// Rejected: leaving -o out of every key, since some options derive further outputs, and even inputs
// (-fprofile-use), from it.

// Placeholders for the names, in keys and in the output paths of stored results.
inline constexpr const char* kObjectName =
    "\x01"
    "object"
    "\x01";
inline constexpr const char* kDepfileName =
    "\x01"
    "depfile"
    "\x01";
inline constexpr const char* kTargetName =
    "\x01"
    "target"
    "\x01";

// An input of gcc, which makes names of it. clang ignores it.
inline constexpr const char* kSeedOption = "-frandom-seed=";

struct OutputNames {
  std::string object;  // the value of -o
  // The value of -MF, or the name that compilers derive with -MD; "": no depfile is written.
  std::string depfile;
  std::string target;              // of the depfile; "" if there is none
  std::vector<std::string> keyed;  // the command with placeholders
};

// An AMD GPU with its features as the user spells it: "gfx90a", "gfx90a:sramecc+:xnack-".
struct ArchId {
  std::string name;
  auto operator<=>(const ArchId&) const = default;
};

struct Uncacheable {
  Reason reason = Reason::none;  // counted and shown
  std::string detail;            // the option or file that caused it
  // The command compiles or links HIP code, so it would be split but for this.
  bool of_hip = false;
};

// How a command is served.
enum class Route {
  planned,    // split compile: the driver's jobs, each cached by itself
  is_opaque,  // opaque compile: one step, run as typed (compiler/opaque/opaque_command.h)
};

// The kind of an opaque command: names and counts its step.
enum class Making { compile, link, archive };

// A variable that, if it is set, makes a command uncacheable.
struct RefusedVariable {
  std::string name;
  Reason reason = Reason::none;
};

// What the driver is told of a split compile, beside its files.
struct DriverTraits {
  // A link of relocatable device code: no source, no depfile, no CUID.
  bool links = false;
  // A compile whose objects the driver hands to the linker: `object` is the linker's output.
  bool then_links = false;
  // The driver names its outputs after the source and each target; `object` is none of them.
  bool names_outputs = false;
  bool by_script = false;   // the driver may be a script that runs clang: hipcc
  bool new_driver = false;  // --offload-new-driver
  bool host_only = false;   // --offload-host-only
  // -cuid= or -fuse-cuid= was given: respected.
  bool user_cuid = false;
  // `expanded`, if the request key has all words in their order; else empty.
  std::vector<std::string> in_order;
  // `without_archs` without the options that only shape or name the depfile (-MD, -MF, -MT, ...).
  std::vector<std::string> for_cuid;
};

// What an opaque command makes of what.
struct OpaqueTraits {
  Making making = Making::compile;
  std::string updates;  // of `archive`: the file that it reads and writes, as typed
  // Of a compile, or a link that compiles: its input, as typed, if it has exactly one. It is no
  // option's value, because a command without an input is refused.
  std::string only_input;
  // Of a link: it reads objects, archives and libraries alone, so its driver passes no macro on.
  bool links_objects = false;
  // Words that the compiler ignores if it is the clang that its name says: -frandom-seed=.
  std::vector<std::string> ignored;
  // The compiler makes an id of the whole command, as clang does for HIP and CUDA.
  bool makes_id = false;
  // Set if its outputs may have other names.
  std::optional<OutputNames> output_names;
  // Of a command that compiles or links HIP code: why it is not split.
  std::optional<Uncacheable> not_split;
  // The rest is of commands that are none of clang's or gcc's drivers.
  // What is made depends on this machine's processor, whatever the arguments say.
  bool asks_processor = false;
  // What is made may hold the random names of temporary files. It is searched for them.
  bool may_show_temporary_names = false;
  // The module of Python's that starts the compiler and does nothing else; "": there is none. The
  // program is a script that imports it, or Python itself (by_python_module), or neither.
  std::string python_module;
  bool by_python_module = false;
  std::vector<RefusedVariable> refused_variables;
  // What a failed command lacks, as far as the arguments tell: one line for the user, or "".
  std::string advice;
};

// For an opaque command only these are set: route, argv, expanded, response_files, object,
// without_archs, writes_command and opaque. There `object` only names the miss history.
struct Invocation {
  Route route = Route::planned;
  std::vector<std::string> argv;  // as typed
  // argv with response files expanded in place; [0] is the compiler.
  std::vector<std::string> expanded;
  // Response files that were read for the expansion; inputs of the request.
  std::vector<std::string> response_files;
  std::string source;  // as typed; of several, the first one
  // Of a command that compiles several sources and links them: the rest, in its order. Not all need be HIP.
  std::vector<std::string> other_sources;
  // As typed, or the name that clang would choose; for a link, its output.
  std::string object;
  // -MF, or the name that clang would choose with -MD/-MMD.
  std::optional<std::string> depfile;
  // Sorted as strings, unique; empty: the compiler's default.
  std::vector<ArchId> archs;
  // `expanded` without the arch list and the number of jobs: the basis of the request key.
  std::vector<std::string> without_archs;
  // -MJ: the command line is written into a file.
  bool writes_command = false;
  DriverTraits driver;
  OpaqueTraits opaque;
};

}  // namespace hipcache::compiler

#endif
