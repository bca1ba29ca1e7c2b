// A path set: the questions that a step asked, in a form that can be asked again. What does this
// file contain? Does that one exist? What does this directory list? A path set holds no answers, so
// one set serves any number of results.
//
// Encoded sorted and front-coded (docs/internals/formats.md). The id is the digest of the encoding before
// compression, so equal questions have one id. The store compresses sets, because it knows similar
// ones. Immutable once made; safe to share between threads.
#ifndef HIPCACHE_INPUTS_PATH_SET_H
#define HIPCACHE_INPUTS_PATH_SET_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/base/roots.h"

namespace hipcache::inputs {

// How many characters two names begin with in common.

inline std::size_t shared_prefix(std::string_view left, std::string_view right) {
  return static_cast<std::size_t>(std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first -
                                  left.begin());
}

enum class Question : std::uint8_t {
  // Digest of the file, or why there is none. Also which of the set's files are the same file.
  content = 1,
  // Absent, file, executable file (each of them empty or not), directory, other. Also which
  // directories are the same directory.
  presence = 2,
  link = 3,       // target of a symbolic link, or that it is none
  listing = 4,    // digest of the sorted names in a directory
  real_path = 5,  // the path with links resolved
  variable = 6,   // digest of an environment variable's value, or that it is not set
  // The request's directory, physical and as in PWD.
  working_directory = 7,
  program = 8,  // where PATH leads for the name of a program
  // Where the root of that mark is, and by which names it is called: if a result shows it. With kCalled behind the
  // mark, only by which names it is called (Root::called): if a result names it by a token.
  root = 9,
  cuid = 10,  // the translation unit's id: if a result shows it
  // All variables except those that no compile depends on: if a script may have read any variable.
  // kOfInterpreters: those that steer shells and Perl.
  environment = 11,
  // Of a file that was looked at, if a precompiled header was read, which compares its headers.
  size = 12,
  // The same, if the precompiled header holds the times of its headers.
  size_and_time = 13,
  machine = 14,  // the answer of uname
  // Whether SOURCE_DATE_EPOCH is a date that clang accepts, whatever its value. Asked if a compiler
  // read the variable and no source used it. kAskedByPlan: also whether it is set.
  source_date = 15,
  // The command's names for its outputs: if a result shows one.
  output_names = 16,
  // The options of the step's commands for the look of messages, which its key lacks: if the run printed any.
  look_options = 17,
  // Where the loader finds a library by LD_LIBRARY_PATH and by its cache, and which file is there.
  library = 18,
  // Where the root of that mark lies in the root around it: if a result shows only that.
  root_place = 19,
  // Digest of the sorted names in a directory that begin with "rocm", or that end in ".bc": clang's driver lists
  // directories for them alone.
  rocm_listing = 20,
  bitcode_listing = 21,
  // Whether a standard stream is a terminal ("2"), or how large it is ("0 size"), or whether standard output and
  // standard error are two files ("1=2").
  terminal = 22,
  // The same, or a variable of the terminal, asked by a driver that printed nothing but a plan. Decides the plan's
  // options for the look of messages, and nothing else.
  look = 23,
  // Weaker than `content`: digests of a source's tokens (src/inputs/tokens/scan.h). With their lines and columns; with
  // their columns; with neither.
  tokens_in_place = 24,
  tokens_in_order = 25,
  tokens = 26,
  // How the command defines a macro that its key lacks (RunContext::macros).
  macro = 27,
  // The same for all of them.
  all_macros = 28,
  // The same for those whose names are not in the list, separated by spaces, and may occur in a file of the set.
  further_macros = 29,
  // What the names of a root share with two others (path_set.h): if a step made the same under both of these.
  name_likeness = 30,
};

inline bool asks_about_tokens(Question question) {
  return question >= Question::tokens_in_place && question <= Question::tokens;
}

// Whether the answer says what a file holds.
inline bool asks_about_content(Question question) {
  return question == Question::content || asks_about_tokens(question);
}

// Whether its observations name paths.
inline bool asks_about_path(Question question) {
  return question <= Question::real_path || question == Question::size || question == Question::size_and_time ||
         question == Question::rocm_listing || question == Question::bitcode_listing || asks_about_tokens(question);
}

inline constexpr const char* kAskedByPlan = "plan";
inline constexpr const char* kOfInterpreters = "interpreters";
// Question::cuid by this name: the id of relocatable code's steps (RunContext::relocatable_cuid).
inline constexpr const char* kRelocatable = "relocatable";
inline constexpr char kCalled = '@';

struct Observation {
  Question question = Question::presence;
  // A path (relative to the request's directory; portable ones to a root), a variable, the mark of
  // a root, or who asks.
  std::string name;
  auto operator<=>(const Observation&) const = default;
};

class PathSet {
 public:
  // Limits of one set: more than any compiler asks, and small enough to prevent abuse. `decode`
  // refuses larger sets.
  static constexpr std::size_t kMaxObservations = 1'000'000;
  static constexpr std::size_t kMaxRawBytes = 64u << 20;

  explicit PathSet(std::vector<Observation> observations);  // sorts, removes doubles

  const std::vector<Observation>& observations() const { return observations_; }
  Digest id() const { return id_; }

  // REQUIRES: within_limits()
  std::string encode() const;
  // An error for bytes that are damaged, of another version, past the limits, or not in the exact
  // form that `encode` writes.
  static Result<PathSet> decode(std::string_view bytes);
  bool within_limits() const { return observations_.size() <= kMaxObservations && raw_bytes_ <= kMaxRawBytes; }
  static PathSet merge(const std::vector<std::shared_ptr<const PathSet>>& sets);
  // The questions of a request, from those of its probes and of all steps. What its probes asked of the terminal counts
  // if a step printed something. It decides the steps' options for messages, so nobody asks for these. Nor for
  // the id of relocatable code: the request's id, the probes and all macros decide it.
  static PathSet of_request(const std::vector<std::shared_ptr<const PathSet>>& sets);

  // Approximate size in memory.
  std::size_t memory() const;

 private:
  PathSet(std::vector<Observation> sorted, std::string_view raw);  // `raw`: their front-coded form

  std::vector<Observation> observations_;
  Digest id_;
  std::size_t raw_bytes_ = 0;
};

// What two names of a checkout have in common, as a question about a third one (Question::name_likeness).
//
// Problem: a device step made the same under two names of its checkout. So its code does not use what differs between
// them. It may use what they share: a length, or the first characters of a text that it cuts off.
// Choice: the result serves a name that shares the same. For each of a root's two names the question says whether its
// length counts, how many of its first characters, and how many of its last components.
//
// Not seen: code that uses single characters in the middle of a name, at which both happen to be equal.

// The question for what the two have in common. Nothing if they are one name, or if their requests used other names
// (Root::form).
std::optional<Observation> likeness_of(const Root& one, const Root& other);

// The answer of a root. `question`: what follows the mark in the question's name. Never fails, whatever the text.
std::string shared_parts(const Root& root, std::string_view question);

// The mark in the question's name, and what follows it.
std::string_view mark_of_likeness(std::string_view name);
std::string_view parts_of_likeness(std::string_view name);

}  // namespace hipcache::inputs

#endif
