// A step: one cached unit of a split compile. A kind of compile that splits its commands makes steps;
// the daemon looks each up, runs what is missing, and stores what it wrote.
//
// A step is a value: what is to be run, with which inputs, and which files come of it. It holds no
// result. Immutable once its plan is made; safe to share between threads.
#ifndef HIPCACHE_COMPILER_STEP_H
#define HIPCACHE_COMPILER_STEP_H

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace hipcache::compiler {

// `unbundle` (splits a bundled input) and `link` (the host's linker) occur in a link. `back_end`
// makes device code from bitcode, where the new offload driver leaves that to clang-linker-wrapper.
// `question` asks the wrapper what it would start (Plan::question).
enum class StepKind { device, bundle, host, unbundle, link, back_end, question };
inline constexpr std::size_t kStepKinds = static_cast<std::size_t>(StepKind::question) + 1;  // of the last kind

// A driver command with its intermediate file names replaced. An argument may contain kDirectory,
// which stands for the request's temporary directory.
struct StepCommand {
  std::string program;
  std::vector<std::string> argv;
};

// A file that a step writes.
struct StepOutput {
  // The kind of the output, unique in the step: "object", "depfile", "code-object", "bundle", ...
  // Part of the key.
  std::string role;
  std::string name;  // in the request's directory: "gfx906.out", "host.o"
  // Where the user's driver puts it, as named there; empty: an intermediate file, which no user
  // sees.
  std::string place;
  // Not empty: the file has a placeholder. When it is delivered to the user, an earlier step's file
  // of this name replaces the placeholder (compiler/hip/fatbin_splice.h).
  std::string fatbin = {};
  // A secondary output (depfile, split debug information). Compilers write such a file in place,
  // and replace the others.
  bool beside = false;
  bool operator==(const StepOutput&) const = default;
};

// A file that the driver writes itself while it plans, and that a step reads.
struct StepFile {
  std::string name;   // in the request's directory
  std::string bytes;  // may contain kDirectory
  // kDirectory in `bytes` is plain text, not a placeholder.
  bool verbatim = false;
  bool operator==(const StepFile&) const = default;
};

struct Step;

// The codegen split: a device compile as a front end that makes bitcode, and a back end with linker
// from there. An edit that leaves the bitcode unchanged (in host lines, a comment, an unused macro)
// then runs only the front end.
//
// Valid for compilers that make the same code object in two processes as in one. `proof` tests that
// on a small built-in source, with one code object made each way (is_split_codegen_proof in hip/plan.h). It runs
// once for each compiler and set of options that make code.
// Rejected: a proof with the user's source, because its build would pay for both ways. Splitting
// after the optimisations, which are most of the back end's work.
struct SplitCodegen {
  StepCommand front;
  std::string bitcode;  // name in the directory of the front end's output
  std::vector<StepCommand> back;
  StepCommand both;                   // front and back by one start of the compiler (kThen)
  std::shared_ptr<const Step> proof;  // never null
  // The daemon expects the split not to pay: the step runs in one process, which needs no proof.
  bool runs_as_one = false;
};

struct Step {
  StepKind kind = StepKind::device;
  ArchId arch;          // device and back_end only
  std::string subject;  // unbundle only: the file that is split
  // device: cc1, lld; bundle: the bundler; host: cc1.
  std::vector<StepCommand> commands;
  // `commands` without arguments that cannot reach the outputs: names of depfiles and temporaries.
  // Without debug info, also without directories that only debug info mentions. The step's key is
  // made of this.
  std::vector<std::vector<std::string>> keyed;
  std::vector<StepOutput> outputs;
  // Name in the directory, or empty. For a device step it matters only if the step fails.
  std::string depfile;
  // Names and ids that go into the output cannot be found there by a search.
  bool hashes_names = false;
  // Names and ids in the outputs of a proof do not matter: its result is valid for all requests.
  bool is_proof = false;
  bool starts_others = false;                      // the bundler has llvm-objcopy work on objects
  std::vector<std::string> inputs;                 // names of earlier steps' outputs, in order
  std::vector<StepFile> files;                     // count as far as `keyed` has them
  bool prints_temporary_paths = false;             // messages may name intermediate files
  std::optional<SplitCodegen> split_codegen = {};  // device only
  // An argument that may make equal runs differ: the step runs, but is never stored.
  std::string unproven;
  // device only: a back end makes code from its output, in a step or in the bundle.
  bool is_front_end = false;
  // bundle only: the back ends that run inside of it, one after the other.
  std::vector<ArchId> back_ends = {};
};

inline constexpr const char* kDirectory =
    "\x01"
    "dir"
    "\x01";

// Separates the commands that one start of a program runs. The last command may be another program,
// given by path and arguments, which the process then becomes. Needs the trace library
// (src/trace/preload/then.c).
inline constexpr const char* kThen =
    "\x01"
    "then"
    "\x01";

// A role says what the bytes are, not who gets them. The same commands make the same roles, whether
// the file goes to the user or to a later step. Results are stored by role; if roles depended on
// the rest of the plan, one plan could not use another plan's results.
inline constexpr const char* kCodeObject = "code-object";          // of one architecture
inline constexpr const char* kBundle = "bundle";                   // includes fatbins
inline constexpr const char* kFatbinObjectRole = "fatbin-object";  // of a link
inline constexpr const char* kObject = "object";                   // the host's
inline constexpr const char* kDepfile = "depfile";
inline constexpr const char* kProgram = "program";
// What a back end printed: the wrapper is to print it in place of the back end.
inline constexpr const char* kSaid = "said";
// A portable depfile (compiler/hip/depfile.h): made into the checkout's own depfile before it is delivered.
inline constexpr const char* kPortableDepfile = "portable-depfile";
inline constexpr const char* kPortableGccDepfile = "portable-gcc-depfile";  // in gcc's form

// The file in the request's directory with the prepared answers to what programs start
// (src/trace/preload/answer.c).
inline constexpr const char* kAnswers = "answers";

// What the linker wrapper would have started in a link, and with which files
// (src/trace/preload/answer.c). Both the name of the file in the request's directory and its role.
inline constexpr const char* kCaptured = "captured";

}  // namespace hipcache::compiler

#endif
