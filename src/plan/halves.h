// A device compile as front end and back end apart (plan.h, Halves).
#ifndef HIPCACHE_SRC_PLAN_HALVES_H
#define HIPCACHE_SRC_PLAN_HALVES_H

#include <optional>
#include <string>

#include "hipcache/plan/plan.h"
#include "plan/shape.h"

namespace hipcache::plan {

// Where the files of passage are: arguments, with kDirectory.
struct HalvesNames {
  std::string bitcode;
  std::string object;
  std::string beside;  // a side file's name less the ending
  std::string code_object;
};

// Nothing for a compile that is not optimised, has debug information (which holds the number of each line, and a digest
// of the source: an edit that changes no code would find nothing), asks for the optimiser's remarks, which name lines
// too, hides names in what it makes, is for the linker to optimise, or has an option of which it is not known that the
// back end goes by it in both ways, or not at all.
std::optional<Halves> halves_of(const DeviceJobs& device, const HalvesNames& names);

}  // namespace hipcache::plan

#endif
