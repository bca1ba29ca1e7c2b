// A setting of another tool, as it was found.
#ifndef HIPCACHE_SRC_SWITCHING_FOUND_SETTING_H
#define HIPCACHE_SRC_SWITCHING_FOUND_SETTING_H

#include <map>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::switching {

struct FoundSetting {
  std::string value;
  std::string origin;  // a file's path, or a variable's name
  bool operator==(const FoundSetting&) const = default;
};

// By the name that the tool's file has for it; a variable without one has its own name.
using FoundSettings = std::map<std::string, FoundSetting>;

// ccache's settings: those of its variables, of its own file, and of the system's file, in this order.
Result<FoundSettings> read_ccache(const config::Lookup& variable, const std::vector<std::string>& environment,
                                  const std::string& system_file = "/etc/ccache.conf");

// sccache's settings: those of its variables, and of its file, whose tables are joined by dots ("cache.s3.bucket").
Result<FoundSettings> read_sccache(const config::Lookup& variable, const std::vector<std::string>& environment);

}  // namespace hipcache::switching

#endif
