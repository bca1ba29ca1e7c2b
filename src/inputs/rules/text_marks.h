// Which roots one file's content mentions.
#ifndef HIPCACHE_SRC_INPUTS_RULES_TEXT_MARKS_H
#define HIPCACHE_SRC_INPUTS_RULES_TEXT_MARKS_H

#include "hipcache/base/roots.h"

namespace hipcache::inputs {

struct TextMarks {
  RootMask shown = 0;     // mentioned in any way
  RootMask named = 0;     // Roots::named_in_text
  RootMask included = 0;  // named in an #include relative to a directory above the root
};

}  // namespace hipcache::inputs

#endif
