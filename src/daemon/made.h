// What a run made, on its way into the store.
#ifndef HIPCACHE_DAEMON_MADE_H
#define HIPCACHE_DAEMON_MADE_H

#include <string>
#include <vector>

#include "daemon/request.h"
#include "daemon/services.h"
#include "daemon/step_work.h"
#include "hipcache/base/roots.h"
#include "hipcache/plan/depfile.h"

namespace hipcache::daemon {

inline constexpr std::uint64_t kOutputLimit = 2ull << 30;  // of one file that a step makes, in bytes

// An output of a run, as it is to be stored. The place and how it is written there are known here only of an undivided
// command; those of steps are in the plan.
struct Made {
  std::string role;
  std::string bytes;
  bool executable = false;
  std::string place;
  bool in_place = false;
  bool in_place_if_empty = false;
};

// A file of that role. A depfile that names the checkout is stored in a form that is good in every other, if it has
// one.
Result<Made> read_made(std::string role, const std::string& path, const Roots& roots);

// The same of a depfile that gcc or clang wrote, of which another command may call for another target; "": none may.
Result<Made> read_depfile(const std::string& path, const Roots& roots, plan::DepfileForm form,
                          const std::string& target);

// Puts the outputs into the store, where the result may be recorded, and into the step's result.
void store_made(StepWork& work, std::vector<Made> made, const Request& request, const Services& services,
                store::Lease& lease);

// Puts the user's form of an output, with that fatbin in it, into `work.filled`; and from there into the store, where
// the step could be recorded.
void take_filled(StepWork& work, const plan::StepOutput& file, const Digest& fatbin, std::string bytes,
                 store::Lease& lease);
void store_filled(StepWork& work, const Request& request, const Services& services);

// Records the result under the step's key, for the next who asks.
void record(const StepWork& work, const Request& request, const Services& services);

// The same for what several runs made together. Where one of them would see another world by now, that is the step's
// refusal.
void record_together(StepWork& work, const std::vector<inputs::Witnessed>& runs, const Request& request,
                     const Services& services);

}  // namespace hipcache::daemon

#endif
