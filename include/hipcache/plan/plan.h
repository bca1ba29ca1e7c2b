// A compile, or a link of relocatable device code, as a graph of steps, read from what the user's own driver prints for
// -###.
//
// The driver's temporary names are mapped to names of ours in the request's directory. Only jobs of known kinds, with
// files that go from one to the next in known ways, become a plan; everything else is an error, and the compile passes
// through. docs/plan.md has the rules.
#ifndef HIPCACHE_PLAN_PLAN_H
#define HIPCACHE_PLAN_PLAN_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/command/invocation.h"

namespace hipcache::plan {

// `unbundle` and `link` are a link's: an input taken apart, and the host's linker. `back_end` makes a device's code of
// bitcode, where the new offload driver leaves that to clang-linker-wrapper; `question` asks the wrapper what it would
// start (Plan::question).
enum class StepKind { device, bundle, host, unbundle, link, back_end, question };

// A command of the driver's with its file names of passage replaced: an argument may contain kDirectory, which stands
// for the request's temporary directory.
struct StepCommand {
  std::string program;
  std::vector<std::string> argv;
};

// A file that a step writes.
struct StepOutput {
  std::string role;   // what it is, once per step: "object", "depfile", "code-object", "bundle", ... Part of the key
  std::string name;   // in the request's directory: "gfx906.out", "host.o"
  std::string place;  // where the user's driver puts it, as it names it; empty: a file of passage, which nobody sees
  // Not empty: the file has a placeholder, and an earlier step's file of that name takes its place on the way to the
  // user (plan/fatbin_splice.h).
  std::string fatbin = {};
  // Beside what the step is run for (depfile, split debug information): compilers write such a file in place, and
  // replace the others.
  bool beside = false;
  bool operator==(const StepOutput&) const = default;
};

// A file that the driver writes itself while it plans, and that a step reads.
struct StepFile {
  std::string name;       // in the request's directory
  std::string bytes;      // may contain kDirectory
  bool verbatim = false;  // kDirectory in them is no name
  bool operator==(const StepFile&) const = default;
};

struct Step;

// Another way to a device's code object: the front end as far as the bitcode, and the back end and the linker from
// there. An edit that leaves the bitcode as it was (of the host's lines, of a comment, of a macro that nobody uses)
// then runs the front end alone.
//
// It is good for compilers that make the same code object in two processes as in one. `proof` tries that on a small
// source of our own: two code objects, one by each way (is_halves_proof below). It is run once for each compiler and
// set of options that make code. Rejected: a proof by the user's source, for which the build that makes it pays both
// ways; the bitcode after the optimisations, which are most of the back end's work.
struct Halves {
  StepCommand front;
  std::string bitcode;  // name in the directory of what the front end makes
  std::vector<StepCommand> back;
  StepCommand both;                   // front and back by one start of the compiler (kThen)
  std::shared_ptr<const Step> proof;  // never null
};

struct Step {
  StepKind kind = StepKind::device;
  command::ArchId arch;               // device and back_end only
  std::string subject;                // unbundle only: the file that is taken apart
  std::vector<StepCommand> commands;  // device: cc1, lld; bundle: the bundler; host: cc1
  // The same less what cannot reach the outputs (names of depfiles, of temporaries, directories only debug info
  // mentions where there is none): what the step's key is made of.
  std::vector<std::vector<std::string>> keyed;
  std::vector<StepOutput> outputs;
  std::string depfile;         // name in the directory, or empty. Of a device step it matters only if the step fails
  bool hashes_names = false;   // what names and ids go into the output cannot be seen there
  bool is_proof = false;       // whatever names and ids are in its outputs, what they show is good for all requests
  bool starts_others = false;  // the bundler has llvm-objcopy work on objects
  std::vector<std::string> inputs;    // names of earlier steps' outputs, in order
  std::vector<StepFile> files;        // what `keyed` has of them counts
  bool prints_passage = false;        // messages may name files of passage
  std::optional<Halves> halves = {};  // device only
  std::string unproven;               // an argument that may let equal runs differ: the step is run, and never stored
  bool is_front_end = false;  // device only: code is made of its output by a back end, in a step or in the bundle
  std::vector<command::ArchId> back_ends = {};  // bundle only: those that run inside of it, one after the other
};

inline constexpr const char* kDirectory =
    "\x01"
    "dir"
    "\x01";

// Between the commands that one start of a program runs: those of the same program, and the path and the arguments of
// another one, which it becomes in the end. Only with the trace library (src/trace/preload_then.c).
inline constexpr const char* kThen =
    "\x01"
    "then"
    "\x01";

// A role says what the bytes are and not who gets them: the same commands make the same roles, whether the file is the
// user's or goes to a later step. Results are stored by role, so a role that changed with the plan around the step
// would make one plan's result useless to another one.
inline constexpr const char* kCodeObject = "code-object";          // of one arch: code, bitcode, assembly
inline constexpr const char* kBundle = "bundle";                   // a fatbin among them
inline constexpr const char* kFatbinObjectRole = "fatbin-object";  // of a link
inline constexpr const char* kObject = "object";                   // the host's, or what stands for it
inline constexpr const char* kDepfile = "depfile";
inline constexpr const char* kProgram = "program";
inline constexpr const char* kSaid = "said";  // what a back end printed: the wrapper is to print it, in its place
// Made into the checkout's own depfile before it is given out (plan/depfile.h); it stands for a depfile in a result.
inline constexpr const char* kPortableDepfile = "portable-depfile";
inline constexpr const char* kPortableGccDepfile = "portable-gcc-depfile";  // the same in gcc's form

// The file in the request's directory with the prepared answers to what programs start (src/trace/preload_answer.c).
inline constexpr const char* kAnswers = "answers";

// What the linker wrapper would have started in a link, and with which files (src/trace/preload_answer.c): a file in
// the request's directory, and its role.
inline constexpr const char* kCaptured = "captured";

// Another way to the same object: the host is compiled with a placeholder of the fatbin, beside the devices, so that no
// change of theirs costs a compile of the host.
//
// It is good for compilers that write the same code around any fatbin. `proof` tries that: two compiles of a small
// source by the host's own command, one with a fatbin and one with the placeholder (is_proof below). Macros, search
// paths and warnings are not part of its key, so it is run once for each compiler and set of options that make code.
struct HostApart {
  std::vector<Step> steps;  // devices, host, bundle
  Step proof;
};

struct Plan {
  std::vector<Step> steps;              // in the driver's order: devices first
  std::string driver_stderr;            // the driver's own warnings, printed before any step's
  std::optional<HostApart> apart = {};  // where the host's object contains a fatbin
  // Where clang-linker-wrapper runs the devices' back ends: it is asked which, and what it prints is for
  // take_back_ends(); of a link, what it leaves in its output is for take_captured(). Without an answer the plan is
  // good as it is: the back ends run inside of the wrapper.
  std::optional<Step> question = {};
};

// Who is given the id of a compile: the driver by -cuid=, or, where it would ignore that, each frontend by -Xclang.
enum class IdFor { driver, frontends };

// The option that has clang's driver and frontends print in colour.
inline constexpr const char* kColourOption = "-fcolor-diagnostics";

// The driver command whose output read_plan understands: the user's argv with the id (a compile's), colour and -###
// added.
std::vector<std::string> probe_arguments(const command::Invocation& invocation, const std::string& cuid, bool colour,
                                         IdFor id_for = IdFor::driver);

// What of them is added to the user's.
std::vector<std::string> probe_words(const command::Invocation& invocation, const std::string& cuid, bool colour,
                                     IdFor id_for);

// The option by which the driver hands SOURCE_DATE_EPOCH to each frontend.
inline constexpr const char* kSourceDateOption = "-source-date-epoch";

// Whether the driver printed messages of its own beside the plan, or something that is no plan.
bool has_messages(std::string_view printed);

// Whether the plan is good for another date as well: no job has the option twice, for one of the two is the user's own.
bool may_take_another_date(std::string_view printed);

// `printed` is the driver's standard error; `temporary_directory` is the TMPDIR that it ran with. `source_date` takes
// the place of the date that the driver took from SOURCE_DATE_EPOCH then; empty: the variable is not set now, or not a
// date, and the plan stays as it is. REQUIRES: the variable is set now if and only if it was set then.
Result<Plan> read_plan(std::string printed, const command::Invocation& invocation,
                       const std::string& temporary_directory, std::string_view source_date = {});

// Gives each back end that the wrapper would start a step of its own. `printed` is what the plan's question printed in
// `directory`. After an error the plan is as it was. REQUIRES: plan.question.
//
// The bundle's step still runs the wrapper. What that starts is answered by what the steps made if it is the same, by
// arguments and by content, and runs otherwise: so nothing that is made here need be true. Rejected: running the
// bundler ourselves, as the list of jobs has it, for then the wrapper would have to do what it says; handing what the
// wrapper starts to the daemon, for the wrapper starts one back end after the other.
Status take_back_ends(Plan& plan, std::string_view printed, const std::string& directory);

// The same of a link, by what its question has left in kCaptured. Where the wrapper starts no compiler the plan stays
// as it is.
Status take_captured(Plan& plan, std::string_view captured);

// Whether the two files of HostApart::proof show that the fatbin may be put in afterwards.
bool is_proof(std::string_view with_fatbin, std::string_view with_placeholder);

// Whether the two files of Halves::proof show that the back end may run by itself.
bool is_halves_proof(std::string_view as_one, std::string_view in_two);

// argv with kDirectory replaced.
std::vector<std::string> in_directory(const std::vector<std::string>& argv, const std::string& directory);

}  // namespace hipcache::plan

#endif
