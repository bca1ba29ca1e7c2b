// What a hit pays for its proof: the state of a set like that of one HIP compile (400 files, 700 absences, 80
// directories).
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

constexpr int kFiles = 400;
constexpr int kAbsences = 700;
constexpr int kDirectories = 80;

std::vector<Observation> one_compile(const support::Scratch& scratch) {
  auto in_directory = [](int i, const std::string& name) {
    return "usr/lib/include/module" + std::to_string(i % kDirectories) + "/" + name + std::to_string(i);
  };
  std::vector<Observation> observations;
  for (int i = 0; i < kFiles; ++i)
    observations.push_back({Question::content, scratch.write(in_directory(i, "header"), std::to_string(i))});
  for (int i = 0; i < kAbsences; ++i) observations.push_back({Question::presence, scratch / in_directory(i, "absent")});
  return observations;
}

// The stamps of the files that were written just now must count as settled.
Clock an_hour_later() {
  return [now = file_clock()] { return now() + 3'600'000'000'000; };
}

void state_of_a_known_set(benchmark::State& state) {
  const support::Scratch scratch;
  const PathSet set(one_compile(scratch));
  const RunContext from{scratch.path(), {}};
  FileSystemState file_system(an_hour_later());
  file_system.state(set, from);
  Effort effort;
  for (auto _ : state) benchmark::DoNotOptimize(file_system.state(set, from, &effort));
  const auto per_call = benchmark::Counter::kAvgIterations;
  state.counters["stats"] = benchmark::Counter(static_cast<double>(effort.stats), per_call);
  state.counters["opens"] = benchmark::Counter(static_cast<double>(effort.opens), per_call);
  state.SetLabel("must stay under 1000 us of CPU");
}
BENCHMARK(state_of_a_known_set)->Unit(benchmark::kMicrosecond);

void decode_of_a_set(benchmark::State& state) {
  const support::Scratch scratch;
  const std::string bytes = PathSet(one_compile(scratch)).encode();
  for (auto _ : state) benchmark::DoNotOptimize(PathSet::decode(bytes));
}
BENCHMARK(decode_of_a_set)->Unit(benchmark::kMicrosecond);

void first_state_after_a_start(benchmark::State& state) {
  const support::Scratch scratch;
  const PathSet set(one_compile(scratch));
  const RunContext from{scratch.path(), {}};
  for (auto _ : state) {
    FileSystemState file_system(an_hour_later());
    benchmark::DoNotOptimize(file_system.state(set, from));
  }
}
BENCHMARK(first_state_after_a_start)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hipcache::inputs

BENCHMARK_MAIN();
