// What is in a directory tree, byte for byte: taken, held against another, and put back.
#ifndef HIPCACHE_TESTS_INTEGRATION_TREE_H
#define HIPCACHE_TESTS_INTEGRATION_TREE_H

#include <map>
#include <string>
#include <vector>

#include "integration/program.h"

namespace hipcache::integration {

// By name below the directory: mode and bytes, or where a link leads. Of a file with several names, the first one has
// the bytes and the others refer to it.
using Files = std::map<std::string, std::string>;
Files files_in(const std::string& directory);

// What is in `after` and was not, or was otherwise, in `before`; what is gone is there with no text.
Files changes(const Files& before, const Files& after);

// Brings the directory's files and links back to what they were; the ones that did not change keep their stamps.
void restore(const std::string& directory, const Files& before, const Files& after);

// `got`, where two runs that write to the same places leave either what one does or what the other does: for each name
// what was got if one of them has it so, else what `one` has.
Files expected_of_either(const Files& got, const Files& one, const Files& other);

// Writes files and links below a directory, to be looked at; what is only gone, or a second name, is left out.
void write_out(const std::string& directory, const Files& files);

// A line each, of what hipcache did and the compiler alone did otherwise; none: equal.
using Differences = std::vector<std::string>;
Differences differences_of(const Files& cached, const Files& alone);
Differences differences_of(const Ended& cached, const Ended& alone);

}  // namespace hipcache::integration

#endif
