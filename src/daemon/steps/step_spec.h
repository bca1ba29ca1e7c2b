// The specification of one step: what is run, under which key its result is looked up, and which files it makes.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_STEP_SPEC_H
#define HIPCACHE_SRC_DAEMON_STEPS_STEP_SPEC_H

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/hip/prefix_maps.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// A probe through a wrapper: the wrapper gets the user's own words, and its driver gets more (trace/preload/driver.c).
struct ThroughWrapper {
  std::string driver;              // the program that adds the words
  std::vector<std::string> words;  // added to the driver's own
  std::string told;                // the jobs printed when the wrapper itself got the words
  pid_t client = 0;                // the process that runs the wrapper
};

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
  bool prints_temporary_paths = false;  // messages may name intermediate files, as the driver's do with random names
  bool hashes_names = false;            // names may enter its outputs in a form that a search does not find
  bool reads_source = false;            // its command has the macros of the request's
  bool is_proof = false;                // names and CUIDs in its outputs do not matter
  bool may_start_others = false;        // its programs may start others
  bool is_tentative = false;            // if it fails, it makes nothing, and the steps that need it run without it
  bool by_script = false;               // other programs than its own may run, and read any variable
  RootMask named_roots = 0;             // roots that its commands name
  hip::PrefixMaps maps;                 // prefix maps of its commands
  std::optional<ThroughWrapper> through;
  const hip::SplitCodegen* split_codegen = nullptr;  // set if its code generation may be split, else null
  const char* trace_ending = ".trace";               // suffix of the trace file's name

  // The key under which the miss history has the step.
  const cache::ActionKey& history_key() const { return command ? *command : key; }

  // Whether a stored result has every output of the step. REQUIRES: this outlives the result of this function.
  cache::Suffices suffices() const;
};

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

}  // namespace hipcache::daemon

#endif
