// One step on its way through the service: what it takes to look it up, to run it and to record it, and what came of
// it.
#ifndef HIPCACHE_DAEMON_STEP_WORK_H
#define HIPCACHE_DAEMON_STEP_WORK_H

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/in_flight.h"
#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "hipcache/action/action_cache.h"
#include "hipcache/inputs/observe.h"
#include "hipcache/plan/plan.h"
#include "hipcache/plan/prefix_maps.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

struct Ties;

// A probe that gives a program around the driver the user's own words, and the driver more (trace/preload_driver.c).
struct ThroughWrapper {
  std::string driver;              // the program that is to add the words
  std::vector<std::string> words;  // to its own
  std::string told;                // the jobs that were printed where the wrapper got them
  pid_t client = 0;                // who runs the wrapper
};

struct StepWork {
  std::string label;  // "probe", "device gfx906", "device gfx906 back end", "bundle", "host"
  action::ActionKey key;
  std::vector<Digest> inputs;  // made by earlier steps; part of the key
  std::vector<protocol::Command> commands;
  std::vector<plan::StepOutput> outputs;
  std::string failed_depfile;    // name in the directory of the depfile that stays if the step fails
  std::uint64_t updated_as = 0;  // which file the request's `updated` was just before the run (trace/seen.h); 0: none
  bool undivided = false;    // the command as typed: it writes where the user wants it, and the trace tells its outputs
  bool prints_plan = false;  // the probe: its messages are the result, the directory's name in them is none of it
  bool hashes_names = false;      // names may go into its outputs where looking does not find them
  bool is_proof = false;          // no name or id in its outputs matters
  bool may_start_others = false;  // programs of its commands start others
  bool is_tentative = false;      // if it fails it makes nothing, and the steps that need it do without
  RootMask named_roots = 0;       // by its commands; REQUIRED where it hashes names
  plan::PrefixMaps maps;          // of names, by its commands
  bool prints_passage = false;    // its messages may name files of passage, as the driver's do by names of chance
  bool by_script = false;         // other programs than its own may run, and read any variable
  std::optional<ThroughWrapper> through;
  const plan::Halves* halves = nullptr;  // it may run in two; null: it may not
  const char* trace_ending = ".trace";   // of the file with the record of its run
  std::function<Status()> prepare;  // called before the step is run, if it is: brings its inputs into the directory

  // What came of it.
  bool ended = false;  // found or run; not so for steps after one that failed
  bool hit = false;
  bool waited = false;                  // another client was running it
  std::optional<std::uint64_t> missed;  // looked up in vain when so many runs of it had ended (InFlight::ended)
  int exit_code = 0;
  unsigned failed_command = 0;
  std::vector<std::string> ran;  // of a probe: the programs that left a trace, in order
  std::string descriptor;        // that it read by name, and the compiler alone would read otherwise
  std::string doubt;             // why its failure may be ours and not the source's; empty: it is the source's
  std::size_t answered = 0;      // programs that it did not start, for the answer was prepared (plan::kAnswers)
  action::ActionResult result;
  inputs::Witnessed witnessed;  // what it depends on; its set is null where `refusal` says why the run proves nothing
  std::string refusal;
  std::string refusal_detail;

  // What is left to do once the client has its answer, and the claim that those who need it wait for.
  std::function<void()> store;
  std::optional<InFlight::Claim> claim;

  // The user's object, where what the step made has a placeholder in it (plan/fatbin_splice.h).
  struct Filled {
    action::Output output;
    std::vector<Digest> parts;  // the object with the placeholder, the fatbin
    std::string bytes;
  };
  std::optional<Filled> filled;

  // Whether a stored result has every output of the step. REQUIRES: the step outlives what is returned.
  action::Suffices suffices() const;

  // What came of the output of that role; null where the result lacks it.
  const action::Output* made(const plan::StepOutput& output) const;
  // What of it the user gets.
  const action::Output* given(const plan::StepOutput& output) const;
  bool recordable() const { return witnessed.set != nullptr; }
  bool succeeded() const { return exit_code == 0; }
};

// The message that has the client run it as number `step`.
protocol::RunStep run_message(const StepWork& work, std::uint32_t step, const RequestDirectory& directory,
                              const Services& services);

// Takes in what the client's run left behind: messages, outputs, trace. Stores the result if it may be stored.
// An error means that the run is of no use (it could not be started, its outputs are not there).
Status take_in(StepWork& work, const protocol::StepDone& report, const Request& request,
               const RequestDirectory& directory, const Services& services, store::Lease& lease);

// Takes in what the run printed.
Status take_texts(StepWork& work, const protocol::StepDone& report, const RequestDirectory& directory);

// Takes what the run depends on, of its trace and of what ties its outputs to its surroundings.
void take_trace(StepWork& work, const protocol::StepDone& report, const Ties& ties, const Request& request,
                const RequestDirectory& directory, const Services& services);

// The trace of the run; where there is none, or a damaged one, that is the step's refusal.
std::optional<std::vector<trace::Record>> records_of(StepWork& work, std::uint32_t step,
                                                     const RequestDirectory& directory, const Services& services);

// Takes what the run depends on, or why it proves nothing.
void take_witnessed(StepWork& work, std::variant<inputs::Witnessed, inputs::Refusal> outcome);

// Counts and logs that the step's result is not stored, with the request's output and the file that speaks against it.
void note_not_stored(const StepWork& work, const Request& request, const Services& services);

// The bytes of what the step made: where the run left it, or of the store.
Result<std::string> read_output(const StepWork& work, const plan::StepOutput& file, const std::string& directory,
                                store::Store& store);

// Writes a stored output of the step into the directory, for a later step to read.
Status materialise(const StepWork& work, const plan::StepOutput& file, const RequestDirectory& directory,
                   store::Store& store);

}  // namespace hipcache::daemon

#endif
