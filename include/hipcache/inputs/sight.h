// What a run, its messages and its outputs may show of the sources that it read. Decides what the path set asks about
// them: bytes, tokens with or without their places, macros of the command line one by one or all.
#ifndef HIPCACHE_INPUTS_SIGHT_H
#define HIPCACHE_INPUTS_SIGHT_H

#include <cstdint>

#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {

struct Sight {
  // The weakest question that its command, messages and outputs allow. The files decide further.
  Question weakest = Question::content;
  bool is_cxx = false;              // the language has raw strings and digit separators
  bool checks_indentation = false;  // its warnings compare columns of lines, gcc's of comments too
  // An output says where an unnamed type is.
  bool shows_places_of_types = false;

  enum class Macros : std::uint8_t {
    none,     // no source is read, or the key has all macros
    every,    // whatever defines one may matter
    by_name,  // only macros whose names occur
  };
  Macros macros = Macros::every;
};

// Of a step that reads no source, or whose key has the command with all macros.
inline constexpr Sight kNoSources{.macros = Sight::Macros::none};

}  // namespace hipcache::inputs

#endif
