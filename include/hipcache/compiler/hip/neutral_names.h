// A probe under neutral names: units that differ in their names alone share one.
//
// The problem: a build of a hundred units with the same options asks the driver a hundred times for
// the same jobs. Each -### starts the compiler and searches the file system for toolchains: 45 ms of
// a light unit's second. The choice: where the driver only copies a name from its arguments to its
// jobs, the probe gets a fixed name instead, and the printed jobs get the unit's own name
// afterwards. Such names are those of source, object and depfile, the depfile's target, and the
// CUID. The source then is an empty file: for -### the driver only asks whether it exists.
//
// A name is replaced only where it is a word of its own, and only if it consists of characters that
// neither the driver nor make quotes. Printed jobs are given back their names word by word; a
// neutral name in any other place (of a file that the driver derives from the object's name, say)
// means that the probe is asked again, under the unit's own names. What the result says of source,
// object and depfile, read_plan verifies in any case.
//
// clang edits its command line by CCC_OVERRIDE_OPTIONS. Edits that match arguments by their text may match
// a name, so with such edits no name is replaced.
//
// Rejected: taking one unit's jobs as a pattern for others, because a short name may be part of other
// words by chance. Neutral names for links, because the driver reads their inputs; for a script,
// because nobody knows what it makes of a name.
//
// Immutable; safe to share between threads.
#ifndef HIPCACHE_COMPILER_HIP_NEUTRAL_NAMES_H
#define HIPCACHE_COMPILER_HIP_NEUTRAL_NAMES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

class NeutralNames {
 public:
  // Nothing if the command's names cannot be replaced. `cuid`: the id of the unit. `edits`: the value of
  // CCC_OVERRIDE_OPTIONS.
  static std::optional<NeutralNames> of(const compiler::Invocation& invocation, const std::string& cuid,
                                        std::string_view edits);

  // The user's command under neutral names. The source's name contains kDirectory.
  const std::vector<std::string>& argv() const { return argv_; }
  // The id to give the probe.
  static const std::string& cuid();
  // The name in the request's directory of the file that has to stand for the source.
  const std::string& source_file() const { return source_file_; }

  // What the driver would have printed under the unit's own names. `directory` replaced kDirectory in
  // `printed`. Nothing if the driver made something else of a neutral name than a word of a job.
  std::optional<std::string> own_names(std::string printed, const std::string& directory) const;

 private:
  struct Name {
    std::string neutral;  // may contain kDirectory
    std::string own;
  };

  NeutralNames() = default;

  std::vector<std::string> argv_;
  std::string source_file_;
  std::string own_cuid_;
  std::vector<Name> names_;
};

}  // namespace hipcache::hip

#endif
