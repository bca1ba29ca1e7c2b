// What a step looked at, as questions that can be asked again: the contents of this file? is that one there? what does
// this directory list? A path set holds no answers, so one set serves any number of results.
//
// Encoded: sorted and front-coded; docs/formats.md. The id is the digest of that form: equal questions have one id.
// Compressing is the store's, which knows the sets that resemble this one. Immutable once made; safe to share between
// threads.
#ifndef HIPCACHE_INPUTS_PATH_SET_H
#define HIPCACHE_INPUTS_PATH_SET_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"

namespace hipcache::inputs {

enum class Question : std::uint8_t {
  content = 1,  // digest of the file, or why there is none; and which of the set's files are one and the same
  presence =
      2,        // absent, file, executable file, each of them empty or not, directory, other; which directories are one
  link = 3,     // target of a symbolic link, or that it is none
  listing = 4,  // digest of the sorted names in a directory
  real_path = 5,          // the path with links resolved
  variable = 6,           // digest of an environment variable's value, or that it is not set
  working_directory = 7,  // the request's directory, physical and as PWD has it
  program = 8,            // where PATH leads for the name of a program
  root = 9,               // where the root of that mark is, and how it is called: where a result shows it
  cuid = 10,              // the translation unit's id: where it shows in a result
  environment = 11,       // all variables but those that no compile depends on: where a script may have read any
  size = 12,              // of a file that was looked at, where a precompiled header was read: its headers are compared
  size_and_time = 13,     // the same where the precompiled header holds the times of its headers
  machine = 14,           // what uname says
  // Whether SOURCE_DATE_EPOCH is a date that clang takes, by whatever value: where it was asked for, and no source used
  // it. kAskedByPlan: whether it is set, too.
  source_date = 15,
  output_names = 16,  // what the command calls its outputs: where a result shows it
  colour = 17,        // whether messages are in colour: where the run printed any
  library = 18,       // where the loader finds a library by LD_LIBRARY_PATH and by its cache, and what is there
  root_place = 19,    // where the root of that mark is in the root around it: where a result shows that alone
};

// Whether its observations name paths.
inline bool asks_about_path(Question question) {
  return question <= Question::real_path || question == Question::size || question == Question::size_and_time;
}

inline constexpr const char* kAskedByPlan = "plan";

struct Observation {
  Question question = Question::presence;
  // Path (relative ones count from the request's directory, portable ones from a root), or variable, or the mark of a
  // root, or who asks.
  std::string name;
  auto operator<=>(const Observation&) const = default;
};

class PathSet {
 public:
  // Of one set; more than a compiler of any size asks, little enough to be no weapon. `decode` refuses what is larger.
  static constexpr std::size_t kMaxObservations = 1'000'000;
  static constexpr std::size_t kMaxRawBytes = 64u << 20;

  explicit PathSet(std::vector<Observation> observations);  // sorts, removes doubles

  const std::vector<Observation>& observations() const { return observations_; }
  Digest id() const { return id_; }

  // REQUIRES: within_limits()
  std::string encode() const;
  // An error for bytes that are damaged, of another version, past the limits or not in the one form that `encode`
  // writes.
  static Result<PathSet> decode(std::string_view bytes);
  bool within_limits() const { return observations_.size() <= kMaxObservations && raw_bytes_ <= kMaxRawBytes; }
  static PathSet merge(const std::vector<std::shared_ptr<const PathSet>>& sets);

  // About what the set holds in memory.
  std::size_t memory() const;

 private:
  PathSet(std::vector<Observation> sorted, std::string_view raw);  // `raw`: their front-coded form

  std::vector<Observation> observations_;
  Digest id_;
  std::size_t raw_bytes_ = 0;
};

}  // namespace hipcache::inputs

#endif
