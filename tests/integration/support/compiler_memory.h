// Remembers what the compiler alone did, so that the oracle does not run it again for an equal compile.
//
// Most cases begin with the same compile in a directory of their own, and repeat it after a change that does not
// matter. The compiler alone takes most of their time. A compile is equal to another if its command, environment, files
// and installed packages are. The name of the watched directory is replaced by a token in the command and the
// variables.
//
// A result may still depend on that name: debug information has it. So a result is taken in another directory only
// after two directories have had the same result. Compiles whose result depends on more than the above are always run
// (compile_key.h).
//
// Most compiles of a test replace the object of the one before. A file that an earlier compile wrote does not count
// where nothing else names it, and the remembered compile succeeded and wrote it with the mode that it has
// (without_outputs). Else each compile would run once without its object and once over it.
//
// The memory is a directory below the build tree, for all test processes: one file for each of `kSlots` remainders of
// the key, replaced atomically, so its size has a bound. One of `kVerified` remembered results is not used: the
// compiler runs and must do the same. ORACLE_SEED chooses which ones, anew in each run of tools/test.
//
// ORACLE_MEMORY=on turns the memory on, as tools/test does. With `verify` every remembered result is verified, which
// shows whether the key lacks an input. A test of staleness stays honest with it: what the key lacks, hipcache would
// have to miss as well, and the counts of steps would still tell.
//
// Rejected: one directory with a fixed name for all cases, which would need a mount namespace for each of them.
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILER_MEMORY_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILER_MEMORY_H

#include <map>
#include <optional>
#include <set>
#include <string>

#include "hipcache/base/digest.h"
#include "integration/support/compile_key.h"
#include "integration/support/program.h"
#include "integration/support/tree.h"

namespace hipcache::integration {

class CompilerMemory {
 public:
  // `tree`: the watched directory. `store`: where results are kept for other processes; it need not exist.
  explicit CompilerMemory(std::string tree, std::string store = default_store());

  // Runs the command without hipcache; or leaves in the tree what an equal compile left, and returns how that ended.
  // `before`: the tree's files now.
  Ended run(const Request& request, const Files& before);

  // How often the compiler ran, and how often it was spared.
  int runs() const { return runs_; }
  int spared() const { return spared_; }

  static std::string default_store();

 private:
  // What a compile did to the tree.
  struct Outcome {
    Ended ended;
    Files changes;
  };
  friend bool operator==(const Outcome& one, const Outcome& other);

  Outcome run_compiler(const Request& request, const Files& before);
  void leave(const Outcome& outcome);
  void note_written(const Files& files);
  std::optional<Outcome> known(const Digest& key) const;
  // For other directories: what all that had the compile agree on, and this one's say.
  std::optional<Outcome> agreed(const Digest& key) const;
  void say(const Digest& key, const Outcome& outcome) const;
  std::string slot(const Digest& key) const;

  std::string tree_;
  std::string store_;
  std::map<Digest, Outcome> own_;  // of this tree
  std::set<std::string> written_;  // by compiles in this tree
  int runs_ = 0;
  int spared_ = 0;
};

}  // namespace hipcache::integration

#endif
