// The state of one step: what is needed to look it up, run it and record it, and its outcome.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_STEP_STATE_H
#define HIPCACHE_SRC_DAEMON_STEPS_STEP_STATE_H

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "daemon/request/services.h"
#include "daemon/shared/single_flight.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/hip/prefix_maps.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

struct Relocatability;

// A probe through a wrapper: the wrapper gets the user's own words, and its driver gets more (trace/preload/driver.c).
struct ThroughWrapper {
  std::string driver;              // the program that adds the words
  std::vector<std::string> words;  // added to the driver's own
  std::string told;                // the jobs printed when the wrapper itself got the words
  pid_t client = 0;                // the process that runs the wrapper
};

struct StepState {
  std::string label;  // "probe", "device gfx906", "device gfx906 back end", "bundle", "host"
  cache::ActionKey key;
  std::vector<Digest> inputs;  // digests of inputs from earlier steps; part of the key
  std::vector<protocol::Command> commands;
  std::vector<hip::StepOutput> outputs;
  std::string failed_depfile;    // name of the depfile that stays if the step fails
  std::uint64_t updated_as = 0;  // identity of the request's `updated` file just before the run (trace/seen.h); 0: none
  bool is_opaque = false;     // an opaque compile: it writes where the user wants it, and the trace shows its outputs
  bool prints_plan = false;   // the probe: its messages are the result, without the directory's name
  bool hashes_names = false;  // names may enter its outputs in a form that a search does not find
  bool is_proof = false;      // names and CUIDs in its outputs do not matter
  bool may_start_others = false;  // its programs may start others
  bool is_tentative = false;      // if it fails, it makes nothing, and the steps that need it run without it
  RootMask named_roots = 0;       // roots that its commands name; REQUIRED if hashes_names
  hip::PrefixMaps maps;           // prefix maps of its commands
  bool prints_temporary_paths =
      false;               // its messages may name intermediate files, as the driver's do with random names
  bool by_script = false;  // other programs than its own may run, and read any variable
  std::optional<ThroughWrapper> through;
  const hip::SplitCodegen* split_codegen = nullptr;  // set if its code generation may be split, else null
  const char* trace_ending = ".trace";               // suffix of the trace file's name
  std::function<Status()> prepare;  // called before the step runs, if it runs: brings its inputs into the directory

  // The outcome.
  bool ended = false;  // found or run; false for steps after a failed one
  bool hit = false;
  bool waited = false;                  // another client was running it
  std::optional<std::uint64_t> missed;  // a lookup missed when this many runs had ended (SingleFlight::ended)
  int exit_code = 0;
  unsigned failed_command = 0;
  std::vector<std::string> ran;  // for a probe: the programs that left a trace, in order
  std::string descriptor;        // a descriptor read by name (/dev/fd/5); without the cache it would read otherwise
  std::string doubt;             // why its failure may be the cache's fault; empty: it is the source's
  std::size_t answered = 0;      // programs not started because their result was prepared (hip::kAnswers)
  cache::ActionResult result;
  inputs::Witnessed witnessed;  // what it depends on; the set is null if `refusal` says why the run is not recorded
  std::string refusal;
  std::string refusal_detail;

  // What remains to be done after the client has its answer, and the claim that other clients wait for.
  std::function<void()> store;
  std::optional<SingleFlight::Claim> claim;

  // The user's object, if the step's own output has a placeholder (plan/fatbin_splice.h).
  struct Filled {
    cache::Output output;
    std::vector<Digest> parts;  // digests of the object with the placeholder, and of the fatbin
    std::string bytes;
  };
  std::optional<Filled> filled;

  // Whether a stored result has every output of the step. REQUIRES: the step outlives the result of this function.
  cache::Suffices suffices() const;

  // The output of that role; null if the result lacks it.
  const cache::Output* made(const hip::StepOutput& output) const;
  // The form of the output that the user gets.
  const cache::Output* given(const hip::StepOutput& output) const;
  bool recordable() const { return witnessed.set != nullptr; }
  bool succeeded() const { return exit_code == 0; }
};

// The message that asks the client to run the step under the number `step`.
protocol::RunStep run_message(const StepState& work, std::uint32_t step, const RequestDirectory& directory,
                              const Services& services);

// Takes in what the client's run left: messages, outputs, trace. Stores the result if it may be stored. An error means
// that the run is unusable (it could not start, or its outputs are missing).
Status take_in(StepState& work, const protocol::StepDone& report, const Request& request,
               const RequestDirectory& directory, const Services& services, store::Lease& lease);

// Takes in what the run printed.
Status take_texts(StepState& work, const protocol::StepDone& report, const RequestDirectory& directory);

// Sets what the run depends on, from its trace and from what ties its outputs to their surroundings.
void take_trace(StepState& work, const protocol::StepDone& report, const Relocatability& ties, const Request& request,
                const RequestDirectory& directory, const Services& services);

// The trace of the run. A missing or damaged trace becomes the step's refusal.
std::optional<std::vector<trace::Record>> records_of(StepState& work, std::uint32_t step,
                                                     const RequestDirectory& directory, const Services& services);

// Sets what the run depends on, or the refusal.
void take_witnessed(StepState& work, std::variant<inputs::Witnessed, inputs::Refusal> outcome);

// Counts and logs that the step's result is not stored, with the request's output and the file that is the reason.
void note_not_stored(const StepState& work, const Request& request, const Services& services);

// The bytes of the step's output, from the directory or from the store.
Result<std::string> read_output(const StepState& work, const hip::StepOutput& file, const std::string& directory,
                                store::Store& store);

// Writes a stored output of the step into the directory, for a later step to read.
Status materialise(const StepState& work, const hip::StepOutput& file, const RequestDirectory& directory,
                   store::Store& store);

}  // namespace hipcache::daemon

#endif
