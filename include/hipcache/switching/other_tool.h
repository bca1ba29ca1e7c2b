// The tools in whose place a link of their name puts hipcache: build systems look for these names only
// (docs/build-systems.md). What their options mean here stands in the tables of docs/switching.md.
#ifndef HIPCACHE_SWITCHING_OTHER_TOOL_H
#define HIPCACHE_SWITCHING_OTHER_TOOL_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hipcache::switching {

enum class Tool : std::uint8_t { none, ccache, sccache };

// By the last part of a program's path.
Tool tool_named(std::string_view path);

std::string_view name_of(Tool tool);

// "4.14.0", of the version that the tables are about.
std::string version_of(Tool tool);

// For an option that hipcache does not take over: what to use instead, in one line. Nothing if the
// tool has no such option.
std::optional<std::string> instead_of(Tool tool, const std::string& option);

}  // namespace hipcache::switching

#endif
