// Waits for a condition in a test, with a limit; no test waits for a fixed time.
#ifndef HIPCACHE_TESTS_SUPPORT_COMES_TRUE_H
#define HIPCACHE_TESTS_SUPPORT_COMES_TRUE_H

#include <chrono>
#include <thread>

namespace hipcache::support {

// Far longer than anything takes on a loaded machine, and shorter than a test program may take.
inline constexpr std::chrono::seconds kPatience{120};

// Waits until the condition holds. False if it did not within the limit.
template <typename Condition>
bool comes_true(const Condition& holds, std::chrono::milliseconds limit = kPatience) {
  constexpr std::chrono::microseconds kPause{200};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace hipcache::support

#endif
