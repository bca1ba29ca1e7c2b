// The plan of a HIP compile, or of a link of relocatable device code. Read from what the user's own
// driver prints for -###.
//
// The driver's temporary names are replaced by names in the request's directory. Only jobs of known
// kinds, with files that pass between them in known ways, become a plan. Anything else is an error,
// and the compile is passed through. docs/internals/plan.md has the rules.
#ifndef HIPCACHE_COMPILER_HIP_PLAN_H
#define HIPCACHE_COMPILER_HIP_PLAN_H

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

// Split debug information (-gsplit-dwarf) of devices in files with random names. The driver leaves such a file in its
// temporary directory, and the code names it. No two runs make equal objects, and in hipcache's directory the file
// would be lost. So such a command is neither split nor traced.

// The argument of the driver's jobs by which a device's debug information gets such a name, if there is one.
// `printed`: what the driver printed for -###. `temporary_directory`: where its intermediate files are.
std::optional<std::string> lost_debug_file(std::string_view printed, const std::string& temporary_directory);

// Whether a front end makes relocatable code without an id. It then names code by the source's inode, so that separate
// compiles of the two sides agree. A variable may make the code relocatable, or ask for one side.
bool names_by_inode(std::string_view printed);

}  // namespace hipcache::hip

namespace hipcache::compiler {

// A step: one cached unit of a split compile. A kind of compile that splits its commands makes steps;
// the daemon looks each up, runs what is missing, and stores what it wrote.
//
// A step is a value: what is to be run, with which inputs, and which files come of it. It holds no
// result. Immutable once its plan is made; safe to share between threads.

// `unbundle` (splits a bundled input) and `link` (the host's linker) occur in a link. `back_end`
// makes device code from bitcode, where the new offload driver leaves that to clang-linker-wrapper.
// `question` asks the wrapper what it would start (Plan::question). `preamble` makes a header that
// front ends use (Preamble); no plan has it among its steps.
enum class StepKind { device, bundle, host, unbundle, link, back_end, question, preamble };
inline constexpr std::size_t kStepKinds = static_cast<std::size_t>(StepKind::preamble) + 1;  // of the last kind

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
  // Compilers open it for the first thing that they write there, so it may be missing: the stack usage of a unit
  // without functions. If several steps have one place, the user gets the last one that was made.
  bool may_be_missing = false;
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

// The wrapper header, parsed once. Each front end of HIP begins with clang's implicit
// `-include __clang_hip_runtime_wrapper.h`, and takes a quarter of a second to read it. A precompiled
// header of this text alone takes its place: `-include-pch`. No order of includes changes.
//
// Valid if the compiler makes the same code both ways. `plain` and `with` compile a small source of
// ours without optimisation, and what they make must be equal. The order of the declarations in the
// header (hipcache/compiler/ast_file.h) is chosen so that it is.
struct Preamble {
  std::string why_not;               // why the job reads the text itself, for people; empty: it may use the header
  std::shared_ptr<const Step> make;  // makes the header and its depfile; null if `why_not` says why
  StepCommand plain, with;
  // The names of the command's macros that the header is made without. It serves jobs in whose text none of these may
  // occur, whatever their values are.
  std::vector<std::string> left_out = {};
  // The user's search directories (-I, -iquote) that the header is made without. They come before all others, so it
  // serves jobs in which none of them has a name that the text looks for.
  std::vector<std::string> left_out_directories = {};
  std::vector<std::string> system_directories = {};  // the header's own search
  std::string header;                                // names in the directory
  std::string plain_output, with_output;             // of the two commands
};

struct Step {
  StepKind kind = StepKind::device;
  ArchId arch;          // device, back_end and preamble only
  std::string subject;  // unbundle: the file that is split; preamble: "host" for the host's
  std::string source;   // device and host of a compile: as the command names it
  std::string unit;     // of a command with several sources: the one that the step belongs to
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
  std::optional<Preamble> preamble = {};           // device and host, if the front end reads the wrapper header
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
inline constexpr const char* kPreamble = "preamble";                 // a precompiled header
inline constexpr const char* kPreambleDepfile = "preamble-depfile";  // what it was made of
inline constexpr const char* kPreambleSaves = "preamble-saves";      // processor time of a job, in microseconds
// A portable depfile (compiler/hip/depfile.h): made into the checkout's own depfile before it is delivered.
inline constexpr const char* kPortableDepfile = "portable-depfile";
inline constexpr const char* kPortableGccDepfile = "portable-gcc-depfile";  // in gcc's form

// The file in the request's directory with the prepared answers to what programs start
// (src/trace/preload/answer.c).
inline constexpr const char* kAnswers = "answers";

// What the linker wrapper would have started in a link, and with which files
// (src/trace/preload/answer.c). Both the name of the file in the request's directory and its role.
inline constexpr const char* kCaptured = "captured";

// A plan: a command as a graph of steps. Each step names the earlier outputs that it reads.

// The deferred fatbin: the host is compiled with a placeholder for the fatbin, beside the devices.
// So no change of device code costs a host compile.
//
// Valid for compilers that write the same code around any fatbin. `proof` tests that: the host's
// own command compiles a small source twice, with a fatbin and with the placeholder
// (is_deferred_fatbin_proof in
// hip/plan.h). Macros, search paths and warnings are not part of its key, so it runs once for each
// compiler and set of options that make code.
struct DeferredFatbin {
  std::vector<Step> steps;  // devices, host, bundle
  Step proof;
};

struct Plan {
  std::vector<Step> steps;                             // in the driver's order: devices first
  std::string driver_stderr;                           // the driver's own warnings, printed before any step's
  std::optional<DeferredFatbin> deferred_fatbin = {};  // set if the host's object contains a fatbin
  // Set if clang-linker-wrapper runs the devices' back ends: asks the wrapper which ones. For a
  // compile, what the step prints goes to take_back_ends(); for a link, what it leaves in kCaptured
  // goes to take_captured(). Without an answer the plan is valid as it is: the back ends run inside
  // of the wrapper.
  std::optional<Step> question = {};
  // The front ends' options for the look of messages (Cc1Role::look), given by the user, or by the driver for a
  // terminal. The steps' keys lack them. One line if all front ends have the same.
  std::string look_options = {};
  // Of relocatable code: the lists of options by which its front ends read the source, each once (jobs/frontend_job.h:
  // reading_options). Two compiles that differ in them need two ids. Empty: the code is not relocatable.
  std::set<std::vector<std::string>> relocatable = {};
};

}  // namespace hipcache::compiler

namespace hipcache::hip {

// The contract's types, under the names that they have among HIP's functions.
using compiler::DeferredFatbin;
using compiler::kAnswers;
using compiler::kBundle;
using compiler::kCaptured;
using compiler::kCodeObject;
using compiler::kDepfile;
using compiler::kDirectory;
using compiler::kFatbinObjectRole;
using compiler::kObject;
using compiler::kPortableDepfile;
using compiler::kPortableGccDepfile;
using compiler::kPreamble;
using compiler::kPreambleDepfile;
using compiler::kPreambleSaves;
using compiler::kProgram;
using compiler::kSaid;
using compiler::kThen;
using compiler::Plan;
using compiler::Preamble;
using compiler::SplitCodegen;
using compiler::Step;
using compiler::StepCommand;
using compiler::StepFile;
using compiler::StepKind;
using compiler::StepOutput;

// Who is given the CUID of a compile: the driver by -cuid=, or, if it would ignore that, each
// frontend by -Xclang. Nobody, if the compiler itself would use no id: the host's object then names
// the fatbin's symbols without one, and what it is linked with must do the same.
enum class IdFor { driver, frontends, nobody };

// The driver command whose output read_plan understands: the user's argv with the CUID (of a
// compile) and -### added.
std::vector<std::string> probe_arguments(const compiler::Invocation& invocation, const std::string& cuid,
                                         IdFor id_for = IdFor::driver);

// The words that probe_arguments adds to the user's argv.
std::vector<std::string> probe_words(const compiler::Invocation& invocation, const std::string& cuid, IdFor id_for);

// The option by which the driver hands SOURCE_DATE_EPOCH to each frontend.
inline constexpr const char* kSourceDateOption = "-source-date-epoch";

// Whether the driver printed messages of its own beside the plan, or something that is no plan.
bool has_messages(std::string_view printed);

// Whether the plan is valid for another date as well: no job has the option twice, since one of two
// would be the user's own.
bool may_take_another_date(std::string_view printed);

// The ids of the translation units of a command with several sources (hipcache/compiler/hip/cuid.h). The driver gives
// one id to all of them, and two units with the same id do not link.
struct SourceIds {
  std::string given;                             // to the driver
  std::map<std::string, std::string> of_source;  // by the sources' names as typed; empty: all have the given one
};

// `printed` is the driver's standard error; `temporary_directory` is the TMPDIR that it ran with.
// `source_date` replaces the date that the driver took from SOURCE_DATE_EPOCH. Empty: the variable
// is unset now or is no date, and the plan stays as it is. REQUIRES: the variable is set now if and
// only if it was set when the driver ran.
Result<Plan> read_plan(std::string printed, const compiler::Invocation& invocation,
                       const std::string& temporary_directory, std::string_view source_date = {},
                       const SourceIds& ids = {});

// Gives each back end that the wrapper would start a step of its own. `printed` is the output of
// the plan's question, which ran in `directory`. After an error the plan is unchanged. REQUIRES:
// plan.question.
//
// The bundle's step still runs the wrapper. When the wrapper starts a program with the same
// arguments and input contents as one of these steps, that step's outputs are its answer. Any other
// program runs as usual, so a wrong prediction here costs time but never correctness.
// Rejected: running the bundler ourselves from the list of jobs, since the wrapper might do
// something else than it says. Passing each program that the wrapper starts to the daemon, since
// the wrapper starts the back ends one after the other.
Status take_back_ends(Plan& plan, std::string_view printed, const std::string& directory);

// The same for a link, from what its question left in kCaptured. If the wrapper starts no compiler,
// the plan stays as it is.
Status take_captured(Plan& plan, std::string_view captured);

// Whether the two files of DeferredFatbin::proof show that the fatbin may be put in afterwards.
bool is_deferred_fatbin_proof(std::string_view with_fatbin, std::string_view with_placeholder);

// Whether the two files of SplitCodegen::proof show that the back end may run by itself.
bool is_split_codegen_proof(std::string_view as_one, std::string_view in_two);

// Puts the header at that path in the place of the wrapper's text, in the first of the commands that `argv` runs
// (kThen). False, and no change, if that command does not read the text.
bool use_preamble(std::vector<std::string>& argv, const std::string& header);

// argv with kDirectory replaced.
std::vector<std::string> in_directory(const std::vector<std::string>& argv, const std::string& directory);

}  // namespace hipcache::hip

#endif
