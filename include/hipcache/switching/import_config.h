// The settings of another compile cache, as text for hipcache's own file: --import-config.
//
// Problem: who switches has a configuration, and docs/switching.md has some hundred rows.
// Choice: read the other tool's settings from where it keeps them, convert what corresponds, and say of the rest why
// not, in the words of that page: both are made of tools/switching.d. The text is printed, and the user decides.
// Rejected: reading the other tool's settings at every compile, which would give each setting two meanings; and calling
// the other tool, which may be gone.
//
// Secrets in URLs are part of the settings that are printed. No comment and no error has one.
#ifndef HIPCACHE_SWITCHING_IMPORT_CONFIG_H
#define HIPCACHE_SWITCHING_IMPORT_CONFIG_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::switching {

// `tool` is "ccache" or "sccache". Each line is a setting that hipcache's own parser takes, or a comment. An error if
// the tool is another one, or if a file of it cannot be read.
Result<std::string> import_config(const std::string& tool, const config::Lookup& variable,
                                  const std::vector<std::string>& environment);

}  // namespace hipcache::switching

#endif
