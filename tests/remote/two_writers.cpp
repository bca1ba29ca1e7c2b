#include "remote/two_writers.h"

#include <array>
#include <barrier>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "remote/support.h"

namespace hipcache::remote {
namespace {

constexpr int kFewLists = 20;
constexpr std::array<const char*, 2> kMachines{"one", "other"};

int wanted_lists() {
  const char* wanted = std::getenv("HIPCACHE_TEST_LISTS");
  return wanted == nullptr ? kFewLists : std::stoi(wanted);
}

Digest key_of(int list) { return digest_of("list " + std::to_string(list)); }

// Another one for each list: REAPI's backend spreads them over slots by their names, and some share one.
RemotePathSet set_of(const char* machine, int list) { return path_set(machine + std::to_string(list), 1); }

bool is_in(Backend& backend, const char* machine, int list) {
  const Answer<List> answer = backend.list(key_of(list), kPatient);
  return answer.value && has(*answer.value, set_of(machine, list));
}

// How many of both machines' sets are not in the list. Writes those again that `mends`.
int missing(Backend& backend, int list, bool mends) {
  int count = 0;
  for (const char* machine : kMachines) {
    if (is_in(backend, machine, list)) continue;
    ++count;
    if (mends) backend.add_to_list(key_of(list), {set_of(machine, list)}, kPatient);
  }
  return count;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const TwoWriters& counted) {
  return out << counted.lists << " lists, " << counted.failed << " failed writes, " << counted.displaced
             << " path sets displaced, " << counted.lost << " lost for good";
}

TwoWriters let_two_write_at_once(const std::function<std::unique_ptr<Backend>()>& open) {
  TwoWriters counted{.lists = wanted_lists()};
  std::barrier<> both(kMachines.size());
  std::array<int, kMachines.size()> failed{};
  const auto write = [&](std::size_t machine) {
    const std::unique_ptr<Backend> backend = open();
    for (int list = 0; list < counted.lists; ++list) {
      both.arrive_and_wait();
      const WriteAnswer put = backend->add_to_list(key_of(list), {set_of(kMachines[machine], list)}, kPatient);
      if (!put.failure) continue;
      ++failed[machine];
      std::cout << kMachines[machine] << " cannot write: " << put.failure->message << "\n";
    }
  };
  std::thread other(write, 1);
  write(0);
  other.join();
  counted.failed = failed[0] + failed[1];
  const std::unique_ptr<Backend> reader = open();
  for (int list = 0; list < counted.lists; ++list) {
    const int displaced = missing(*reader, list, true);
    counted.displaced += displaced;
    if (displaced > 0) counted.lost += missing(*reader, list, false);
  }
  std::cout << counted << "\n";
  return counted;
}

}  // namespace hipcache::remote
