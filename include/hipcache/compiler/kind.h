// The contract of a kind of compile: all that hipcache must know to cache the commands of one sort of
// compiler. There are three: HIP (kind.h and hip/), IREE's compiler (iree/) and other opaque
// commands (opaque/).
//
// Problem: the daemon serves every command in the same way. It makes a key, looks up, runs what is
// missing, and records. What differs between compilers must not spread over that path.
// Choice: a kind says five things about a command, and nothing else.
//
// 1. Whether it takes the command. `Kind::read` makes an Invocation of it, or refuses with a name of
//    reason.h. It trusts nothing that it does not know: an unknown option is a refusal.
// 2. Its route (Invocation::route). `planned`: the command is split into steps. `is_opaque`: the
//    command runs as one traced step.
// 3. Its outputs: Invocation::object and ::depfile. For an opaque command the trace finds them, and
//    the kind names only what keys leave out (::output_names) and what is read as well (::updates).
//    In ::opaque it says what else the trace cannot know.
// 4. Its key arguments: Invocation::without_archs for the request, ::for_cuid for the id, and
//    Step::keyed for each step. An argument may be missing there only if it cannot reach an output.
// 5. For a planned route, its steps (plan.h, step.h). The kind asks the user's own compiler for them
//    (for HIP probe_arguments and read_plan in hip/plan.h). What it does not understand is an error,
//    and the command is passed through.
//
// The daemon's main lists the kinds. To add one, implement Kind in a folder of its own under compiler/,
// and put it into that list. If it splits commands, the daemon's planner must
// ask it for its plan. StepKind gets the new sorts of steps; CONTRIBUTING.md says what a sort needs.
//
// Rejected: an interface for the fifth thing as well. One kind has plans today, and an interface
// would only repeat HIP's functions.
#ifndef HIPCACHE_COMPILER_KIND_H
#define HIPCACHE_COMPILER_KIND_H

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace hipcache::compiler {

// A command as the user typed it. The caller keeps what it refers to alive while it is read.
struct Command {
  const std::vector<std::string>& argv;  // [0] is the compiler
  const std::string& working_directory;
  // Programs that the user names as compilers: "NAME", "NAME=gcc", "NAME=clang".
  const std::vector<std::string>& further_compilers;
  // The user wants the compiler's own id of a translation unit, not hipcache's.
  bool keeps_id = false;
};

// Thread-safe. Reads response files and specs files, nothing else, and runs nothing.
class Kind {
 public:
  virtual ~Kind() = default;
  virtual std::variant<Invocation, Uncacheable> read(const Command& command) const = 0;
};

// The Invocation of the first kind that takes the command. Else the refusal of the last kind to which
// the program is a compiler, or if there is none, of the last. `kinds`: the most special first.
// REQUIRES: not empty.
std::variant<Invocation, Uncacheable> read_command(std::span<const Kind* const> kinds, const Command& command);

// Reads HIP compiles, and links of relocatable device code, with clang's own options: the kind
// of compile that is split.

// Thread-safe; the option table is built once.
class Parser final : public Kind {
 public:
  Parser();
  ~Parser() override;
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // argv[0] is the compiler. Reads response files relative to `working_directory`.
  std::variant<Invocation, Uncacheable> parse(const std::vector<std::string>& argv,
                                              const std::string& working_directory) const;

  // As parse(), and leaves compiles whose id must stay the compiler's own to the next kind.
  std::variant<Invocation, Uncacheable> read(const Command& command) const override;

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace hipcache::compiler

#endif
