// What finding credentials takes from the process; tests give their own.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_WORLD_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_WORLD_H

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>

namespace hipcache::remote {

using SystemTime = std::chrono::system_clock::time_point;

// The value of an environment variable; empty if it is not set.
using Variables = std::function<std::string(const char* name)>;

struct World {
  Variables variables = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::function<SystemTime()> now = [] { return std::chrono::system_clock::now(); };
};

}  // namespace hipcache::remote

#endif
