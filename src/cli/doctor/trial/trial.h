// A cache of hipcache --doctor's own, for compiles that try a compiler.
//
// It is a temporary directory with a daemon of its own, so the user's cache and statistics do not
// change. Of the user's settings it has those that decide how a compiler is treated: compilers, cuid,
// and the shared caches, which are only read, in a namespace of its own.
// Rejected: a namespace in the user's cache. The counters would change, and results would stay.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_TRIAL_TRIAL_H
#define HIPCACHE_SRC_CLI_DOCTOR_TRIAL_TRIAL_H

#include <string>
#include <string_view>

#include "cli/doctor/trial/program_run.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"
#include "hipcache/stats/counters.h"

namespace hipcache::cli {

class Trial {
 public:
  // `hipcache`: the launcher that compiles.
  static Result<Trial> make(const std::string& hipcache, const config::Settings& settings);
  ~Trial();  // stops the daemon and removes the directory
  Trial(Trial&& other) noexcept;
  Trial& operator=(Trial&&) = delete;

  // Runs `hipcache` with these words, in the user's directory: words may name files there.
  Result<Ran> run(const Words& words) const;
  // Where a file of the directory is.
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  Status write(const std::string& name, std::string_view bytes) const;
  void remove(const std::string& name) const;

  Result<stats::Snapshot> statistics() const;

 private:
  Trial(std::string directory, std::string hipcache, Words environment);

  std::string directory_;  // empty: moved away
  std::string hipcache_;
  Words environment_;
};

// The URL with mode=ro, whatever mode it has.
std::string only_read(const std::string& url);

}  // namespace hipcache::cli

#endif
