// A key for what the compiler alone will do: equal keys, equal outcome, but for the watched directory's name
// (compiler_memory.h).
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILE_KEY_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILE_KEY_H

#include <optional>
#include <set>
#include <string>

#include "hipcache/base/digest.h"
#include "integration/support/program.h"
#include "integration/support/tree.h"

namespace hipcache::integration {

// A compile to run.
struct Request {
  Arguments command;
  std::string directory;  // where it runs
  Variables variables = {};
};

// None if the outcome may depend on more than the key can say: links, another test's directory, files outside of the
// watched one, scripts, mounts of the test's own, the date or time, precompiled headers, modules.
std::optional<Digest> key_of(const Request& request, const std::string& tree, const Files& before);

// The files without those of `written` that the compile can only replace: a regular file that no other file, no
// variable and no word of the command names, except as the value of an option for an output.
Files without_outputs(const Request& request, const Files& files, const std::set<std::string>& written);

// Whether a file is a link or has a second name.
bool has_links(const Files& files);

}  // namespace hipcache::integration

#endif
