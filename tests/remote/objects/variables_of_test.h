// What credentials are searched for with, for tests: variables and a home of the test's own, and a clock.
#ifndef HIPCACHE_TESTS_REMOTE_OBJECTS_VARIABLES_OF_TEST_H
#define HIPCACHE_TESTS_REMOTE_OBJECTS_VARIABLES_OF_TEST_H

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <map>
#include <memory>
#include <string>

#include "remote/backends/open_backend.h"
#include "remote/objects/object_service.h"
#include "support/scratch.h"

namespace hipcache::remote {

class VariablesOfTest : public testing::Test {
 protected:
  static constexpr std::time_t kStart2030 = 1893456000;  // 2030-01-01T00:00:00Z

  VariablesOfTest() { set_["HOME"] = home_.path(); }

  // Called by the thread that searches.
  VariableOf variables() {
    return [this](const char* name) {
      const auto known = set_.find(name);
      return known == set_.end() ? "" : known->second;
    };
  }
  World world() {
    return {.variables = variables(), .now = [this] { return std::chrono::system_clock::from_time_t(now_); }};
  }

  std::unique_ptr<Backend> backend_of(std::unique_ptr<const ObjectService> service) {
    return make_plain_backend(make_object_store(std::move(service), world().now), "", 256u << 20);
  }

  support::Scratch home_;
  std::map<std::string, std::string> set_;
  std::atomic<std::time_t> now_ = kStart2030;
};

}  // namespace hipcache::remote

#endif
