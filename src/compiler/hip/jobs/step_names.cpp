#include "compiler/hip/jobs/step_names.h"

#include <algorithm>

namespace hipcache::hip {

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

std::string file_name(const compiler::ArchId& arch) {
  std::string name = arch.name;
  std::replace(name.begin(), name.end(), ':', '.');
  return name;
}

}  // namespace hipcache::hip
