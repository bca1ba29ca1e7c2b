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
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"
#include "hipcache/stats/counters.h"

namespace hipcache::cli {

using Words = std::vector<std::string>;

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs a program to its end, without standard input, and keeps what it prints. An error if the program cannot be
// started. REQUIRES: argv[0] is a path.
Result<Ran> run_program(const Words& argv, const Words& environment);

// This process's environment.
Words own_environment();

// A new directory of this process's own, with a short path.
Result<std::string> make_place();

// The path of a program of ours. `way`: from the directory of the helpers, where this one lies (HipcacheLayout.cmake).
Result<std::string> installed_program(const char* way);

// The first line that has "error" in it, else the first one: what a compiler or linker fails with.
std::string first_error(const std::string& text);

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

enum class Language { c, cxx, hip };

struct TestCompile {
  bool compiles = false;
  std::string failure;  // the compiler's first error, if it does not compile
  bool is_hit = false;  // the second time
  std::string reason;   // if it is none: why the cache did not keep or use the result
  std::uint64_t cold_ms = 0;
  std::uint64_t warm_ms = 0;
};

// Compiles a small source twice through the trial's cache, and tells what the cache did. `compiler`: its path and
// options, without -c, -o and a source.
Result<TestCompile> test_compile(const Trial& trial, const Words& compiler, Language language);

// How hipcache would treat the compile, as --plan tells.
enum class Treatment { bypass, is_opaque, split, split_by_new_driver };
Result<Treatment> treatment_of(const Trial& trial, const Words& compiler, Language language);
// Of the JSON that --plan prints.
Result<Treatment> treatment_in(const std::string& plan);

// Why the result serves this machine alone whatever its directory, as --explain tells; empty if it does not.
Result<std::string> tie_of(const Trial& trial, const Words& compiler, Language language);
// Of the JSON that --explain prints.
std::string tie_in(const std::string& explanation);

// "by the last bypass: link: -shared": from the statistics of the trial.
std::string reason_in(const stats::Snapshot& statistics);

}  // namespace hipcache::cli

#endif
