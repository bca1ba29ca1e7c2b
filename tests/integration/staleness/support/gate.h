// Stops every process that opens a file, until the gate opens. Uses a lease: the kernel blocks the open until the
// holder gives the lease up. Meanwhile a test can change files between two reads of the compiler.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_GATE_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_GATE_H

#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>

#include "hipcache/base/files.h"
#include "integration/support/cache.h"
#include "integration/support/program.h"
#include "support/comes_true.h"

namespace hipcache::integration {

class Gate {
 public:
  explicit Gate(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    EXPECT_EQ(fcntl(file_.get(), F_SETSIG, SIGURG), 0);  // a signal that does nothing
    EXPECT_EQ(fcntl(file_.get(), F_SETLEASE, F_WRLCK), 0) << path;
  }

  void await(const Started& compile) const {
    const auto is_opened = [this] { return fcntl(file_.get(), F_GETLEASE) != F_WRLCK; };
    EXPECT_TRUE(support::comes_true([&] { return is_opened() || compile.has_ended(); }));
    EXPECT_TRUE(is_opened()) << "the compiler has not read the file";
  }

  void open_up() const { EXPECT_EQ(fcntl(file_.get(), F_SETLEASE, F_UNLCK), 0); }

 private:
  UniqueFd file_;
};

// Compiles a source that includes the project's gate.h, and makes the change while the compiler waits there. The daemon
// runs before: on a busy machine its start can outlast the client's patience, and then the compiler alone waits at the
// gate.
inline void hold_at_gate(const Cache& cache, const std::string& project, const Arguments& argv,
                         const std::function<void()>& change) {
  EXPECT_TRUE(support::comes_true([&] { return cache.control("--start-server").exit_code == 0; }));
  const Gate gate(project + "/gate.h");
  Started compile = cache.start(argv, project);
  gate.await(compile);
  change();
  gate.open_up();
  EXPECT_EQ(compile.wait().exit_code, 0);
}

}  // namespace hipcache::integration

#endif
