// Random choices that are the same everywhere for one seed: the standard's distributions are not.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_RANDOM_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace hipcache::fuzz {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // REQUIRES: count > 0
  std::size_t below(std::size_t count) { return engine_() % count; }
  bool chance(unsigned percent) { return below(100) < percent; }

  // REQUIRES: the list is not empty. A copy: the list may be a temporary.
  template <typename List>
  auto pick(const List& list) {
    return list[below(list.size())];
  }

  // Always three digits, so that one number replaces another without a change of size.
  std::string number() { return std::to_string(100 + below(900)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace hipcache::fuzz

#endif
