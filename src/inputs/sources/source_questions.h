// Which question a path set asks about each source: its bytes, or what the compile can see of its tokens. And which
// macros of the command line it asks about.
//
// A weaker question holds through more edits. It is asked only if everything that bears on it is permitted: the command
// and the outputs (Sight), and each text (SourceUse). Then each condition is something that the weaker question does
// not see and that the compiler does (docs/internals/proof.md, "Questions about sources").
#ifndef HIPCACHE_SRC_INPUTS_SOURCES_SOURCE_QUESTIONS_H
#define HIPCACHE_SRC_INPUTS_SOURCES_SOURCE_QUESTIONS_H

#include <string>
#include <vector>

#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"
#include "inputs/sources/source_use.h"

namespace hipcache::inputs {

// The question about one file, and why it is no weaker one.
struct SourceQuestion {
  Question question = Question::content;
  std::string because;  // a name in the source, or what is not permitted; or ""
};

SourceQuestion question_about(const ReadFile& file, const SourceUse& use, const Sight& sight, const RunContext& from);

// Replaces the questions about sources by the weakest ones, and says why some or all have to be `content`.
// REQUIRES: `use` was made of these observations.
std::string ask_about_tokens(const SourceUse& use, const Sight& sight, const RunContext& from,
                             std::vector<Observation>& observations);

// Adds the questions about macros that the key lacks.
void ask_about_macros(const SourceUse& use, const Sight& sight, const RunContext& from,
                      std::vector<Observation>& observations);

}  // namespace hipcache::inputs

#endif
