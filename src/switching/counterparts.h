// What docs/switching.md says of another tool's options and settings, read from the same tables
// (tools/switching.d/*.toml), which the build puts into the program.
#ifndef HIPCACHE_SRC_SWITCHING_COUNTERPARTS_H
#define HIPCACHE_SRC_SWITCHING_COUNTERPARTS_H

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::switching {

struct Counterpart {
  std::vector<std::string> names;  // the tool's: an option's, or a setting's in the file and its variables
  std::string ours;                // hipcache's, or ""
  std::string text;                // what differs, or why there is none
};

class Counterparts {
 public:
  // `tool` is "ccache" or "sccache".
  explicit Counterparts(std::string_view tool);

  // Null if the tables have no such option or setting.
  const Counterpart* find(const std::string& name) const;

  // The tool's version that the tables are about.
  const std::string& version() const { return version_; }

 private:
  std::string version_;
  std::vector<Counterpart> all_;
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace hipcache::switching

#endif
