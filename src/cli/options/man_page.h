// The man page hipcache(1), from the tables of options and settings.
#ifndef HIPCACHE_SRC_CLI_OPTIONS_MAN_PAGE_H
#define HIPCACHE_SRC_CLI_OPTIONS_MAN_PAGE_H

#include <string>

namespace hipcache::cli {

std::string man_page();

}  // namespace hipcache::cli

#endif
