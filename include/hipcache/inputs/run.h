// One traced run: what the daemon knows of it beside its trace, and why it must not be recorded.
#ifndef HIPCACHE_INPUTS_RUN_H
#define HIPCACHE_INPUTS_RUN_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/reason.h"
#include "hipcache/base/roots.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {

// Whether a value can be given to a macro by the command line without further effect.

// Whether a compiler takes the text as the value of a macro without a message, whatever the sources say: complete
// literals, no comments, one line.
bool is_plain_value(std::string_view text);

// What a run, its messages and its outputs may show of the sources that it read. Decides what the path set asks about
// them: bytes, tokens with or without their places, macros of the command line one by one or all.

struct Sight {
  // The weakest question that its command, messages and outputs allow. The files decide further.
  Question weakest = Question::content;
  bool is_cxx = false;              // the language has raw strings and digit separators
  bool checks_indentation = false;  // its warnings compare columns of lines
  // An output says where an unnamed type is.
  bool shows_places_of_types = false;
  // What the compiler printed, if its messages were judged, and the files in which they show a place. A message shows
  // lines of such a file, and of no other.
  std::string messages = {};
  std::vector<std::string> shown_files = {};
  // Texts of inline assembly in an output, with places that a library of bitcode has for the same texts. They are the
  // library's if no source can begin such a text.
  std::vector<std::string> assembly_of_libraries = {};

  enum class Macros : std::uint8_t {
    none,     // no source is read, or the key has all macros
    unread,   // no source is read; only a program that is no compiler may see one
    every,    // whatever defines one may matter
    by_name,  // only macros whose names occur
  };
  Macros macros = Macros::every;
  std::string because;  // why `weakest` is `content`
};

// Of a step that reads no source, or whose key has the command with all macros.
inline const Sight kNoSources{.macros = Sight::Macros::none};

struct Refusal {
  Reason reason = Reason::none;
  std::string detail;  // the path or program; for the log
};

// The roots that a run's results depend on, found by searching the results and the command.
struct RootReferences {
  RootMask shown = 0;  // shown by their names
  // Shown by what a prefix map left of their names (compiler/hip/prefix_maps.h).
  RootMask placed = 0;
  // Named by a portable text, which shows whether the path or the alias was used.
  RootMask spelled = 0;
  RootMask spelled_in_messages = 0;  // whose lines an option for their width breaks
  // Any root that the run knew may be in the results without being found by a search.
  bool hidden = false;
  RootMask named = 0;  // named by the command
  // Roots whose names a prefix map replaces where a source asks for its own name.
  RootMask own_names_mapped = 0;
  // Roots that a prefix map may replace by their place in another root.
  RootMask may_be_placed = 0;
  // The arguments of the command, which may define macros. Empty: not known.
  std::vector<std::string> arguments;
};

// What the results and messages of a run show of the request, found by searching them. Adds questions to the path set.
struct Shows {
  RootReferences roots;
  bool cuid = false;
  // Options of the compiler's own command line, among them the date of SOURCE_DATE_EPOCH.
  bool command = false;
  // The run printed something, or its results may hold options of the command line. Then colour,
  // and whatever else depends on the terminal, counts.
  bool colour = true;
  bool output_names = false;
  // For an opaque compile: the working directory, or something that could hide it.
  bool directory = false;
};

// Which programs ran, and which others may have run.
struct Programs {
  // Those that the step was to execute, one per command, as absolute paths.
  std::vector<std::string> commands;
  // Further programs, which count as inputs.
  enum class Others : std::uint8_t {
    none,
    traced,  // any that leave traces of their own
    known,   // of an opaque compile: those that ask for no more than a trace has (hipcache/inputs/script.h)
  };
  Others others = Others::none;
  // Real paths of programs and scripts that only start the compiler, as far as the caller knows. What else they ask for
  // is without effect.
  std::vector<std::string> starters = {};
  // One of the programs leaves no trace, so it may have read any variable.
  bool has_unseen_one = false;
};

// Whether the headers that an AST file of clang's names certainly have no times, by the file's first bytes.
using LacksTimes = bool (*)(std::string_view head);

struct Run {
  Programs programs;
  // The request's temporary directory: reads and writes in it belong to the step.
  std::string directory;
  std::uint64_t started_ns = 0;  // CLOCK_REALTIME_COARSE before the first command
  Shows shows;
  // The result is a plan, in which the caller replaces the date that the driver took from
  // SOURCE_DATE_EPOCH.
  bool plans = false;
  // The result is a plan. The driver decides by the terminal which options its jobs have for the look of messages.
  bool plans_look = false;
  // Parts of standard output may have come after parts of standard error.
  bool is_mixed = false;
  Sight sight;
  // What a header stands on that the run read in the place of texts: the questions about files are the run's as well.
  // Null: there is none.
  const PathSet* stands_on = nullptr;
  // Null: each AST file counts as one with times.
  LacksTimes lacks_times = nullptr;

  // The rest is set for an opaque compile alone (compiler/opaque/opaque_command.h).
  std::vector<std::string> written;  // absolute paths of the files that it wrote, which are never inputs; sorted
  std::vector<std::string> specs;    // names of gcc's specs files, as in the command
  // The key has the processor. Then what the kernel says of the processors decides nothing more than
  // the number of threads.
  bool is_keyed_by_processor = false;

  bool is_opaque() const { return programs.others == Programs::Others::known; }
};

}  // namespace hipcache::inputs

#endif
