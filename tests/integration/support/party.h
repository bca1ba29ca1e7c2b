// A party that shares a cache directory with others: a test's own user or container, with its daemon (which ends with
// the test).
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_PARTY_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_PARTY_H

#include <memory>
#include <string>
#include <vector>

#include "integration/support/cache.h"
#include "integration/support/program.h"

namespace hipcache::integration {

class Party {
 public:
  // Each command gets `prefix` before it, and `variables`.
  Party(Arguments prefix, Variables variables);
  virtual ~Party();
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  // Runs the command through hipcache, or hipcache with options of its own.
  Ended run(const Arguments& argv, const std::string& directory) const;
  Started start(const Arguments& argv, const std::string& directory) const;
  // The command without hipcache.
  Ended plain(const Arguments& argv, const std::string& directory) const;

  // Waits for the daemon's pending writes, and makes it look for other stores.
  Counts counts() const;

 private:
  Arguments prefix_;
  Variables variables_;
};

// A mount namespace with its own bind mounts: the part of a container that matters to a cache.
class Container : public Party {
 public:
  struct Mount {
    std::string from;
    std::string to;
    bool read_only = false;
  };
  // Null if this process may not make one (that needs root).
  static std::unique_ptr<Container> make(const std::vector<Mount>& mounts, const Variables& variables);
  ~Container() override;

 private:
  Container(std::unique_ptr<Started> keeper, const Variables& variables);

  std::unique_ptr<Started> keeper_;  // a process that keeps the namespace alive
};

}  // namespace hipcache::integration

#endif
