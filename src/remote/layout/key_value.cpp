#include "remote/layout/key_value.h"

#include <chrono>
#include <random>
#include <thread>

namespace hipcache::remote {

void wait_a_moment() {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(20, 120)(random)));
}

WriteAnswer KeyValue::change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits) {
  WriteAnswer written;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) wait_a_moment();
    Answer<std::string> present = get(name, most, limits);
    // A damaged or oversized list is begun anew.
    if (present.failure && present.failure->trouble != Trouble::damaged) return WriteAnswer(*present.failure);
    const std::optional<std::string> next = change(present.value);
    if (!next) return written;
    WriteAnswer put = this->put(name, *next, limits);
    if (put.failure) return put;
    written = WriteAnswer({}, written.bytes + put.bytes);
  }
  return written;
}

}  // namespace hipcache::remote
