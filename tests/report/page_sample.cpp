// Writes the page of a made-up build to standard output, for the test in a browser: five hundred requests in twelve
// directories for three architectures, with names that try to leave their places.
#include <algorithm>
#include <cstdio>
#include <random>

#include "hipcache/report/summary.h"
#include "report/events_made.h"

namespace hipcache::report {
namespace {

constexpr std::size_t kRequests = 500;
constexpr std::size_t kAtOnce = 8;
const std::vector<std::string> kArchs{"gfx1030", "gfx906", "gfx90a:xnack+"};
const std::string kHostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>.o";

std::uint64_t between(std::uint64_t least, std::uint64_t most, std::mt19937& random) {
  return least + random() % (most - least + 1);
}

std::string object_of(std::size_t number) {
  if (number == 7) return kHostile;
  return "library/kernels_" + std::to_string(number % 12) + "/reduce_" + std::to_string(number) + ".o";
}

// A third was found as a whole, a third lacks one architecture, the rest ran.
std::uint64_t add_request(LogMaker& log, std::size_t number, std::uint64_t at, std::mt19937& random) {
  if (number % 3 == 0) {
    const std::uint64_t duration = between(800, 4000, random);
    log.request(at, duration, "hit", object_of(number));
    log.last().steps = {"gfx1030", "gfx906", "gfx90a:xnack+", "bundle", "host"};
    log.last().saved_us = between(4, 12, random) * kSecond;
    return at + duration;
  }
  const std::string why = number % 2 == 0 ? "content library/include/common.h (digest 9a0f16c2d0b7d4e1, was 5f2c)"
                                          : "no compile for this architecture is stored";
  std::uint64_t end = at;
  for (const std::string& arch : kArchs) {
    const bool is_hit = number % 3 == 1 && arch != kArchs.back();
    const std::uint64_t duration = is_hit ? 1500 : between(700'000, 5'000'000, random);
    log.step(at + 2000, duration, is_hit ? "hit" : number == 8 ? "failed" : "run", "device", arch);
    if (!is_hit) log.last_step().why = {number == 7 ? kHostile : why};
    log.last_step().bytes = 120'000;
    end = std::max(end, at + 2000 + duration);
  }
  log.step(end, 30'000, "run", "bundle").last_step().why = {"what device gfx90a:xnack+ made (digest 1, was 2)"};
  log.step(at + 2000, 1'900'000, number % 3 == 1 ? "hit" : "run", "host");
  end = std::max(end + 40'000, at + 2'000'000);
  log.request(at, end - at, number % 3 == 1 ? "partial" : "miss", object_of(number));
  if (number == 8) log.last().exit_code = 1;
  return end;
}

std::string page() {
  std::mt19937 random(1);
  LogMaker log;
  std::vector<std::uint64_t> free_at(kAtOnce, 0);
  for (std::size_t number = 0; number < kRequests; ++number) {
    auto next = std::min_element(free_at.begin(), free_at.end());
    *next = add_request(log, number, *next, random) + 500;
  }
  log.request(kSecond, 300, "passthrough", "conftest.o").last().reason = "not-a-compiler";
  log.event(events::EvictionEvent{
      .time_us = kStart + kMinute, .values = 90, .bytes = 700'000'000, .max_size = 5'000'000'000});
  stats::Snapshot counts;
  counts.remote.tiers = {{.url = "http://cache.example/", .state = "ok", .hits = 210, .misses = 40, .median_us = 2300}};
  const Build build = build_of(log.log(), std::nullopt);
  return to_html(build, summary_of(build, counts));
}

}  // namespace
}  // namespace hipcache::report

int main() {
  const std::string page = hipcache::report::page();
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
