// A directory tree's contents, byte for byte: read, compared and restored.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_TREE_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_TREE_H

#include <map>
#include <string>
#include <vector>

#include "integration/support/program.h"

namespace hipcache::integration {

// By name below the directory: mode and bytes, or a link's target. If a file has several names, the first one has the
// bytes and the others refer to it.
using Files = std::map<std::string, std::string>;
Files files_in(const std::string& directory);

// The entries of `after` that are new or different from `before`; removed entries have empty text.
Files changes(const Files& before, const Files& after);

// Restores the directory's files and links; unchanged ones keep their stamps.
void restore(const std::string& directory, const Files& before, const Files& after);

// What two runs may leave that write to the same places, where either run may win for each name. For each name: `got`,
// if one of the runs has it so, else what `one` has.
Files expected_of_either(const Files& got, const Files& one, const Files& other);

// Writes files and links below a directory, for a reader to examine. Leaves out removed entries and second names.
void write_out(const std::string& directory, const Files& files);

// How hipcache's results differ from the compiler's, one line each; empty: equal.
using Differences = std::vector<std::string>;
Differences differences_of(const Files& cached, const Files& alone);
Differences differences_of(const Ended& cached, const Ended& alone);

}  // namespace hipcache::integration

#endif
