// Whether a test can run a program as other users.
#ifndef HIPCACHE_TESTS_SUPPORT_OTHER_USERS_H
#define HIPCACHE_TESTS_SUPPORT_OTHER_USERS_H

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace hipcache::support {

// Why it cannot; "" if it can. Home directories are often closed to others, /root always.
inline std::string why_not_as_others(const std::string& program) {
  if (geteuid() != 0) return "only root acts as other users";
  for (auto place = std::filesystem::path(program).parent_path(); place != place.root_path();
       place = place.parent_path()) {
    struct stat status{};
    if (stat(place.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0)
      return "other users cannot reach " + program + ": chmod o+x " + place.string() + ", or build elsewhere";
  }
  return "";
}

}  // namespace hipcache::support

#endif
