// Opens a store under a limit, in a process of its own, and stores one value.
//
// usage: store_open_under nofile|as|nproc LIMIT DIRECTORY [USER]
// exit code: 0 the store was opened, 1 it was not, 2 the test itself is wrong
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipcache/store/local_store.h"

namespace {

__rlimit_resource resource_of(const std::string& name) {
  if (name == "nofile") return RLIMIT_NOFILE;
  return name == "as" ? RLIMIT_AS : RLIMIT_NPROC;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const rlim_t limit = std::strtoul(argv[2], nullptr, 10);
  const rlimit limits{limit, limit};
  if (setrlimit(resource_of(argv[1]), &limits) != 0) return 2;
  if (argc > 4 && setuid(static_cast<uid_t>(std::strtoul(argv[4], nullptr, 10))) != 0) return 2;
  hipcache::Log log("stderr");
  auto store = hipcache::store::open_store({.directory = argv[3]}, log);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  return (*store)->put_action(hipcache::digest_of("under a limit"), "value") ? 0 : 1;
}
