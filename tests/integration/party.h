// Somebody who shares a cache directory with others: a user or a container of a test's own, with the daemon that serves
// it (ended with the test).
#ifndef HIPCACHE_TESTS_INTEGRATION_PARTY_H
#define HIPCACHE_TESTS_INTEGRATION_PARTY_H

#include <memory>
#include <string>
#include <vector>

#include "integration/cache.h"
#include "integration/program.h"

namespace hipcache::integration {

class Party {
 public:
  // `prefix` is put before each command; `variables` are those of each.
  Party(Arguments prefix, Variables variables);
  virtual ~Party();
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  // hipcache before the command, or with options of its own.
  Ended run(const Arguments& argv, const std::string& directory) const;
  Started start(const Arguments& argv, const std::string& directory) const;
  // The command without hipcache.
  Ended plain(const Arguments& argv, const std::string& directory) const;

  // Waits for what the daemon still writes down, and sees which stores there are.
  Counts counts() const;

 private:
  Arguments prefix_;
  Variables variables_;
};

// A mount namespace with bind mounts of its own: as much of a container as concerns a cache.
class Container : public Party {
 public:
  struct Mount {
    std::string from;
    std::string to;
    bool read_only = false;
  };
  // Nothing if this process may not make one (it takes root).
  static std::unique_ptr<Container> make(const std::vector<Mount>& mounts, const Variables& variables);
  ~Container() override;

 private:
  Container(std::unique_ptr<Started> keeper, const Variables& variables);

  std::unique_ptr<Started> keeper_;  // a process that keeps the namespace alive
};

}  // namespace hipcache::integration

#endif
