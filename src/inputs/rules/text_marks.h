// Which roots one file's content mentions, and whether it asks for its own name.
#ifndef HIPCACHE_SRC_INPUTS_RULES_TEXT_MARKS_H
#define HIPCACHE_SRC_INPUTS_RULES_TEXT_MARKS_H

#include "hipcache/base/roots.h"

namespace hipcache::inputs {

struct TextMarks {
  RootMask shown = 0;     // mentioned in any way
  RootMask named = 0;     // Roots::named_in_text
  RootMask included = 0;  // named in an #include relative to a directory above the root
  bool asks_own_name = false;
  bool prints_types = false;  // has a word that may print the names of types
  bool is_code = false;       // more than directives
};

}  // namespace hipcache::inputs

#endif
