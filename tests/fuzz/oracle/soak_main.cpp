// Random walks for a time, or one walk again: hipcache against the compiler.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <deque>
#include <iostream>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "fuzz/oracle/walk.h"

namespace hipcache::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Orders {
  std::optional<double> minutes;  // none: one walk
  std::optional<std::uint32_t> seed;
  unsigned steps = 40;
  std::string compiler = "both";
  bool verbose = false;
  bool edits_tokens = false;
};

// Printed as a whole: walks of several compilers run side by side.
void print(const std::string& text) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << text << std::flush;
}

// Walk after walk with the seeds that follow each other.
void soak(const Orders& orders, const integration::Compiler& compiler, Clock::time_point end, Tally& tally) {
  const auto is_over = [&] { return orders.minutes && Clock::now() >= end; };
  std::uint32_t seed = *orders.seed;
  do {
    Walk({compiler, seed++, orders.steps, orders.verbose, orders.edits_tokens}, tally, print).run(is_over);
  } while (orders.minutes && !is_over());
}

std::vector<integration::Compiler> compilers(const Orders& orders) {
  if (orders.compiler == "both") return integration::kCompilers;
  return {{orders.compiler}};
}

bool soak_all(const Orders& orders) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(orders.minutes.value_or(0) * 60));
  std::deque<Tally> tallies;
  std::vector<std::pair<std::string, const Tally*>> columns;
  {
    std::vector<std::jthread> threads;
    for (const integration::Compiler& compiler : compilers(orders)) {
      Tally& tally = tallies.emplace_back();
      columns.emplace_back(compiler.program(), &tally);
      threads.emplace_back([&orders, compiler, end, &tally] { soak(orders, compiler, end, tally); });
    }
  }
  print(table(columns));
  bool good = !testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed();
  for (const Tally& tally : tallies) good = good && tally.findings() == 0;
  return good;
}

}  // namespace
}  // namespace hipcache::fuzz

int main(int argc, char** argv) {
  testing::InitGoogleTest();  // the harness reports trouble of its own as failed expectations
  hipcache::fuzz::Orders orders;
  CLI::App app{"Random HIP projects and edits; after each, hipcache's result against the compiler's.", "soak"};
  app.add_option("minutes", orders.minutes, "How long; without it, one walk")->check(CLI::PositiveNumber);
  app.add_option("--seed", orders.seed, "Of the first walk; by chance if not given");
  app.add_option("--steps", orders.steps, "Of each walk")->capture_default_str();
  app.add_option("--compiler", orders.compiler, "15, 19 or both")
      ->check(CLI::IsMember({"15", "19", "both"}))
      ->capture_default_str();
  app.add_flag("--tokens", orders.edits_tokens, "Mostly edits of comments, blanks and lines");
  app.add_flag("--verbose", orders.verbose, "Print every step");
  CLI11_PARSE(app, argc, argv);
  if (!orders.seed) orders.seed = std::random_device()();
  std::cout << "first seed: " << *orders.seed << "\n";
  return hipcache::fuzz::soak_all(orders) ? 0 : 1;
}
