// One step of a request while it is served: its specification, how far it is, and its result.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_STEP_H
#define HIPCACHE_SRC_DAEMON_REQUEST_STEP_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/request/request_context.h"
#include "daemon/shared/single_flight.h"
#include "hipcache/base/reason.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/hip/prefix_maps.h"
#include "hipcache/events/event.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// The specification of one step: what is run, under which key its result is looked up, and which files it makes.

inline constexpr std::uint64_t kOutputLimit = 2ull << 30;  // maximum size of one output, in bytes

struct StepSpec {
  std::string label;  // "probe", "device gfx906", "device gfx906 back end", "bundle", "host"
  cache::ActionKey key;
  std::optional<cache::ActionKey> command;  // of an opaque compile: its key whatever its source contains
  std::vector<std::string> names;  // as in cache::ActionResult::steps; none for a proof, which serves all architectures
  std::vector<Digest> inputs;      // digests of inputs from earlier steps; part of the key
  std::vector<protocol::Command> commands;
  std::vector<hip::StepOutput> outputs;
  const hip::Step* planned = nullptr;   // the plan's step; null for the driver's probe and for opaque compiles
  std::string failed_depfile;           // name of the depfile that stays if the step fails
  std::string unproven;                 // an argument that keeps the result from being stored; or empty
  bool prints_plan = false;             // the probe: its messages are the result, without the directory's name
  bool is_repeated = false;             // a second way to ask what an earlier step asked: nobody asks why it runs
  bool prints_temporary_paths = false;  // messages may name intermediate files, as the driver's do with random names
  bool hashes_names = false;            // names may enter its outputs in a form that a search does not find
  bool reads_source = false;            // its command has the macros of the request's
  bool is_proof = false;                // names and CUIDs in its outputs do not matter
  bool may_start_others = false;        // its programs may start others
  bool is_tentative = false;            // if it fails, it makes nothing, and the steps that need it run without it
  RootMask named_roots = 0;             // roots that its commands name
  hip::PrefixMaps maps;                 // prefix maps of its commands
  const hip::SplitCodegen* split_codegen = nullptr;  // set if its code generation may be split, else null
  const char* trace_ending = ".trace";               // suffix of the trace file's name

  // Set for a part of a device step that a worker may run (run/split_codegen_run.h).
  struct Part {
    std::uint64_t known_us = 0;  // what it took before; 0: not known
    bool reads_sources = false;  // or else only files of the request's directory
  };
  std::optional<Part> part;

  // The key under which the miss history has the step.
  const cache::ActionKey& history_key() const { return command ? *command : key; }

  // Whether a stored result has every output of the step. REQUIRES: this outlives the result of this function.
  cache::Suffices suffices() const;
};

// The source, as typed, that the step compiles; of another step, the request's first one.
const std::string& source_of(const StepSpec& spec, const Request& request);

// The arguments of all its commands.
std::vector<std::string> arguments_of(const StepSpec& spec);

// Adds the names of the files in the request's directory that the step is known to make or to read.
void add_files_of(const StepSpec& spec, const RequestDirectory& directory, std::set<std::string>& names);

// The specification of a plan's step. `inputs`: digests of what earlier steps made, in the step's order. `directory`
// replaces the placeholder in its commands. REQUIRES: the step outlives the result.
StepSpec spec_of(const hip::Step& step, const std::vector<Digest>& inputs, const Request& request,
                 const std::string& directory);

// The specification for a lookup only, of a step that reads nothing from earlier steps.
StepSpec spec_to_look_up(const hip::Step& step, const Request& request);

// The output of that role in a result; null if it lacks it. A depfile may be stored in portable form.
const cache::Output* output_in(const cache::ActionResult& result, const std::string& role);

class StepRun;
struct StepState;

// A file made by an earlier step, and that step.
struct GivenInput {
  const StepState* step = nullptr;
  const hip::StepOutput* file = nullptr;
  const cache::Output* output = nullptr;  // null if the stored result lacks it; then it cannot be brought back
};

// The outcome of a step: the result of its action, and what a run shows beside it. After a hit, only the action's
// result and what it depends on are set.
struct StepResult : cache::ActionResult {
  int exit_code = 0;
  unsigned failed_command = 0;
  std::vector<std::string> ran;   // for a probe and an opaque step: the programs that left a trace, in order
  std::string doubt;              // why its failure may be the cache's fault; empty: it is the source's
  std::optional<Digest> bitcode;  // of a device step in two processes: what its back end compiled
  std::size_t answered = 0;       // programs not started because their result was prepared (hip::kAnswers)
  inputs::Witnessed witnessed;    // what it depends on; the set is null if `refusal` says why the run is not recorded
  inputs::Refusal refusal;        // why the result is not stored, unless the reason is none
  // Why the user must get what the compiler makes by itself: a file of the request's directory that an output names, or
  // that the run left there for its user (that directory is removed); or a descriptor read by name (/dev/fd/5), which
  // is another one without the cache.
  std::optional<inputs::Refusal> unusable;

  // The user's object, if the step's own output has a placeholder (compiler/hip/fatbin_splice.h).
  struct Filled {
    cache::Output output;
    std::vector<Digest> parts;  // digests of the object with the placeholder, and of the fatbin
    std::string bytes;
  };
  std::optional<Filled> filled;

  void take(cache::ActionResult action) { static_cast<cache::ActionResult&>(*this) = std::move(action); }
  bool is_refused() const { return refusal.reason != Reason::none; }
  void make_unusable(inputs::Refusal why) {
    unusable = why;
    refusal = std::move(why);
  }
};

// "exit code 1: clang: error: no such file or directory: 'a.hip'": the first error that it printed, else its first
// line.
std::string said_by_failure(const StepResult& failed);

// The wrapper header that a run used in the place of its text (run/preamble_run.h), and what that stands on.
struct UsedPreamble {
  Digest header;
  inputs::Witnessed witnessed;
  std::uint64_t saves_us = 0;  // in processor time, by its proof
};

struct StepState {
  explicit StepState(StepSpec specification);

  // Does not change any more.
  const StepSpec& spec() const { return spec_; }

  StepRun* run = nullptr;         // how it runs; null for steps of a plan, which run as their kind does
  std::vector<GivenInput> given;  // files of earlier steps that it reads, in the plan's order

  bool ended = false;  // found or run; false for steps after a failed one
  bool hit = false;
  bool waited = false;                  // another client was running it
  std::optional<std::uint64_t> missed;  // a lookup missed when this many runs had ended (SingleFlight::ended)
  std::optional<cache::Hit> audited;    // what is stored, if the step runs again to be compared with it
  bool is_found_wrong = false;          // what is stored differs
  // Its result is stored only after the client has its answer. Until then other clients wait for the claim.
  bool is_stored_later = false;
  std::optional<SingleFlight::Claim> claim;
  std::shared_ptr<const UsedPreamble> preamble;  // that made its result; null: none, or it was found
  bool wants_preamble = false;                   // the client is to make its header in idle time
  events::AtEngine engine;                       // what came of it there, if it was given to the engine

  StepResult result;

  // Takes over a stored result.
  void take(cache::Hit found);

  // The output of that role; null if the result lacks it.
  const cache::Output* made(const hip::StepOutput& output) const { return output_in(result, output.role); }
  // The form of the output that the user gets.
  const cache::Output* given_to_user(const hip::StepOutput& output) const;
  bool recordable() const { return result.witnessed.set != nullptr; }
  bool succeeded() const { return result.exit_code == 0; }
  // "host", or "host: why the failure may be the cache's fault".
  std::string failure() const;

 private:
  StepSpec spec_;
};

// The step in the form of the miss history, with its programs and arguments if a plan has it.
cache::HistoryStep history_step(const StepState& state, const inputs::RunContext& from);

// The bytes of the step's output, from the directory or from the store.
Result<std::string> read_output(const StepState& state, const hip::StepOutput& file, const std::string& directory,
                                store::Store& store);

// Writes a stored output of the step into the directory, for a later step to read.
Status materialise(const StepState& state, const hip::StepOutput& file, const StepContext& context);

// The time that a step takes. Runs from its construction on.
class StepClock {
 public:
  StepClock() : start_us_(events::now_us()), started_(std::chrono::steady_clock::now()) {}

  std::uint64_t start_us() const { return start_us_; }
  std::uint64_t elapsed_us() const {
    const auto elapsed = std::chrono::steady_clock::now() - started_;
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count());
  }

 private:
  std::uint64_t start_us_;
  std::chrono::steady_clock::time_point started_;
};

// How a step runs: the one interface between the scheduler, which knows jobs and clients, and the ways to run a step.
//
// The problem: a step of a plan is one command with outputs in the request's directory. A split device step is up to
// three runs of the compiler. An opaque compile writes where the user wants it, and is stored after the answer. A probe
// prints a plan, and may go through a wrapper. The choice: a class for each way, and the scheduler knows none of them.
// Rejected: flags in the step's specification that the scheduler, the report and the recorder ask for, because each new
// way to run a step then changes all three.
//
// A new way is one file with such a class. If steps of a plan run so, it is also one line in run_of() of the scheduler.
class StepRun {
 public:
  virtual ~StepRun() = default;

  // Called once, when it is certain that the step runs: puts what it reads into the directory. An error ends the
  // request.
  virtual Status prepare() = 0;

  // What the client is to run next; null if the step has ended.
  virtual const StepState* next() const = 0;

  // Changes the message that asks the client to run next(). For a run that stands in front of another one.
  virtual void adapt(protocol::RunStep& /*message*/) {}

  // Takes in the client's run of next(): status, messages, outputs, trace. Records the step's result if it may be
  // recorded. An error means that the run is unusable (it could not start, or its outputs are missing).
  virtual Status take_in(const protocol::StepDone& report) = 0;
};

// A run that is one command of the client's.
class SingleRun : public StepRun {
 public:
  explicit SingleRun(StepState& state) : state_(state), next_(&state) {}
  const StepState* next() const override { return next_; }
  Status take_in(const protocol::StepDone& report) override {
    next_ = nullptr;
    return take(report);
  }

 protected:
  virtual Status take(const protocol::StepDone& report) = 0;

  StepState& state_;

 private:
  const StepState* next_;
};

// What this daemon does not try again: proofs that failed, and the methods that rely on them (plan/proofs.h).
//
// A doubt lives as long as the daemon. A refutation is also stored, so it holds for all daemons.

// Doubts are kept under the key of a proof, or of a step that relies on it.
bool is_doubted(const hip::Step& step, const RequestContext& context);
void doubt(const hip::Step& step, const std::string& why, const RequestContext& context);

// The proof was found false for a user's source. Doubts it, and replaces the stored proof by one that fails, for this
// compiler and all daemons.
void refute(const hip::Step& proof, const std::string& why, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
