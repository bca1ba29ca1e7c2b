// Whether text for people may have colours.
#ifndef HIPCACHE_SRC_CLI_SHOW_COLOUR_H
#define HIPCACHE_SRC_CLI_SHOW_COLOUR_H

namespace hipcache::cli {

// True on a terminal that is not "dumb", unless NO_COLOR is set (https://no-color.org). There is no option: ccache,
// sccache and ninja have none either.
bool shows_colour(int descriptor);

}  // namespace hipcache::cli

#endif
