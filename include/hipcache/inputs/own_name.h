// Sources that ask for their own name (__FILE__ and its kin).
//
// A name that goes into an object as text can be seen there. One that is only measured or hashed while compiling
// (sizeof(__FILE__)) cannot, and would tie the object to its checkout unseen. So every source in the base directory
// that could do that counts as one that does. Headers outside of it (assert.h) mention __FILE__ in macros whose text
// stays text; what they make of it is not looked at.
#ifndef HIPCACHE_INPUTS_OWN_NAME_H
#define HIPCACHE_INPUTS_OWN_NAME_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/base_directory.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {

bool asks_its_own_name(std::string_view source);

// The first file that is named as lying in the base directory, whose content was asked for, and that does, or cannot be
// looked into; "" if there is none. Names may be portable. A file with a relative name has a relative name for itself,
// too. Reads the files.
std::string first_asking_its_own_name(const std::vector<Observation>& observations, const BaseDirectory& base);

}  // namespace hipcache::inputs

#endif
