#include "cli/show/colour.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace hipcache::cli {

bool shows_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) == 1;
}

}  // namespace hipcache::cli
