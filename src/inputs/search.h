// Programs that are looked for along PATH.
//
// A trace has the places of one search, along one PATH. Along another one the same name may be found at a place where
// nobody looked, so the name itself is asked: where does PATH lead for it? Rejected: the value of PATH as an input. It
// differs from shell to shell, and what it leads to hardly ever does.
#ifndef HIPCACHE_INPUTS_SEARCH_H
#define HIPCACHE_INPUTS_SEARCH_H

#include <cstdint>
#include <string>
#include <vector>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/world.h"
#include "hipcache/trace/record.h"
#include "inputs/glance.h"
#include "inputs/names.h"

namespace hipcache::inputs {

// A search begins in PATH's first directory, so the names that were looked for there are the ones that count; a few too
// many do no harm.
void add_search_questions(const trace::Trace& trace, const Surroundings& from, std::vector<Observation>& out);

// Where such a program may be, in the order of PATH.
std::vector<std::string> places_on_path(const std::string& program, const Surroundings& from);

// The first of the places (a list of `Plan::places`, by its beginning) that has a program; "" if none has.
std::string found_on_path(const Plan& plan, std::uint32_t places, Glance& glance, Effort& effort);

}  // namespace hipcache::inputs

#endif
