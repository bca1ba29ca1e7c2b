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

// A line each, of what hipcache did and the compiler alone did otherwise; none: equal.
using Differences = std::vector<std::string>;
Differences differences_of(const Files& cached, const Files& alone);
Differences differences_of(const Ended& cached, const Ended& alone);

}  // namespace hipcache::integration

#endif
