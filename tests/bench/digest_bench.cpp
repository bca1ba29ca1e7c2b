// What digests and checksums cost: the sizes are those of an answer, of a path set's answers, of an object and of a
// compiler. The figures are in docs/dependencies.md.
#include <benchmark/benchmark.h>

#include <string>

#include "hipcache/base/checksum.h"
#include "hipcache/base/digest.h"

namespace hipcache {
namespace {

constexpr int kInputs = 800;

std::string some_bytes(std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

void count_bytes(benchmark::State& state) { state.SetBytesProcessed(state.iterations() * state.range(0)); }

void digest_of_bytes(benchmark::State& state) {
  const std::string bytes = some_bytes(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(digest_of(bytes));
  count_bytes(state);
}

void checksum_of_bytes(benchmark::State& state) {
  const std::string bytes = some_bytes(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(checksum_of(bytes));
  count_bytes(state);
}

void digest_of_fields(benchmark::State& state) {
  const std::string answer = some_bytes(Digest::kSize + 1);
  for (auto _ : state) {
    Hasher hasher("a state");
    for (int i = 0; i < kInputs; ++i) hasher.field(answer);
    benchmark::DoNotOptimize(hasher.finish());
  }
}

constexpr std::int64_t kAnswer = 40;
constexpr std::int64_t kAnswers = std::int64_t{kInputs} * 33;
constexpr std::int64_t kObject = 200'000;
constexpr std::int64_t kCompiler = 150'000'000;

BENCHMARK(digest_of_bytes)->Arg(kAnswer)->Arg(kAnswers)->Arg(kObject)->Arg(kCompiler)->Unit(benchmark::kMicrosecond);
BENCHMARK(checksum_of_bytes)->Arg(kAnswer)->Arg(kAnswers)->Arg(kObject)->Arg(kCompiler)->Unit(benchmark::kMicrosecond);
BENCHMARK(digest_of_fields)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hipcache

BENCHMARK_MAIN();
