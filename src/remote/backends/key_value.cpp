#include "remote/backends/key_value.h"

#include <chrono>
#include <random>
#include <thread>

namespace hipcache::remote {
namespace {

// Between a put and reading it again: longer than a round trip within a site, and different each time, so that two
// writers do not meet again.
std::chrono::milliseconds pause() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::milliseconds(std::uniform_int_distribution<int>(20, 120)(random));
}

}  // namespace

WriteAnswer KeyValue::change(const std::string& name, std::uint64_t most, const Change& change, const Limits& limits) {
  WriteAnswer written;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) std::this_thread::sleep_for(pause());
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
