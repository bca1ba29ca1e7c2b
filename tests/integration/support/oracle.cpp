#include "integration/support/oracle.h"

#include <gtest/gtest.h>

#include <utility>

#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

std::vector<Ended> run_at_once(const Cache& cache, const std::vector<Request>& requests) {
  std::vector<Started> started;
  for (const Request& request : requests)
    started.push_back(cache.start(request.command, request.directory, request.variables));
  std::vector<Ended> ended;
  for (Started& running : started) ended.push_back(running.wait());
  return ended;
}

}  // namespace

Request Oracle::with_cuid(const Request& request) const {
  const std::string cuid = cache_.plan(request.command, request.directory, request.variables).value("cuid", "");
  Request fixed = request;
  fixed.command = with_id(std::move(fixed.command), cuid);
  return fixed;
}

std::vector<Ended> Oracle::run_alone(const std::vector<Request>& one_by_one, const Files& start) {
  if (one_by_one.size() == 1) return {memory_.run(with_cuid(one_by_one.front()), start)};
  std::vector<Ended> ended;
  for (const Request& request : one_by_one) {
    const Request fixed = with_cuid(request);
    ended.push_back(run(fixed.command, fixed.directory, fixed.variables));
  }
  return ended;
}

Comparison Oracle::compare(const std::vector<Request>& at_once) {
  const Files start = files_in(directory_);
  const Counts before = cache_.counts();
  Comparison comparison{.before = start};
  comparison.cached = run_at_once(cache_, at_once);
  comparison.counted = cache_.counts() - before;
  const Files by_cache = files_in(directory_);
  restore(directory_, start, by_cache);
  comparison.alone = run_alone(at_once, start);
  Files alone = files_in(directory_);
  if (at_once.size() > 1 && by_cache != alone) {
    restore(directory_, start, alone);
    run_alone({at_once.rbegin(), at_once.rend()}, start);
    alone = expected_of_either(by_cache, alone, files_in(directory_));
  }

  Differences& differences = comparison.differences;
  for (std::size_t i = 0; i < at_once.size(); ++i) {
    differences = differences + differences_of(comparison.cached[i], comparison.alone[i]);
    comparison.exit_codes.push_back(comparison.cached[i].exit_code);
  }
  comparison.by_cache = changes(start, by_cache);
  comparison.by_compiler = changes(start, alone);
  differences = differences + differences_of(comparison.by_cache, comparison.by_compiler);
  return comparison;
}

Counts Oracle::check(const Arguments& command, const Variables& variables) {
  return check(Request{command, directory_, variables});
}

Counts Oracle::check(const Request& request) {
  last_ = {.request = request, .before = files_in(directory_), .after = {}, .alone = {}};
  const Comparison comparison = compare({last_.request});
  last_.after = files_in(directory_);
  last_.alone = comparison.alone.front();
  for (const std::string& difference : comparison.differences) ADD_FAILURE() << difference;
  return comparison.counted;
}

Counts Oracle::check_cached(const Arguments& command, const Variables& variables) {
  const Counts counted = check(command, variables);
  EXPECT_EQ(exit_code(), 0) << testing::PrintToString(command);
  EXPECT_EQ(counted.passed, 0) << counted.json.dump();
  return counted;
}

Counts Oracle::check_again() {
  restore(directory_, last_.before, last_.after);
  const Counts before = cache_.counts();
  const Ended cached = cache_.run(last_.request.command, last_.request.directory, last_.request.variables);
  const Counts counted = cache_.counts() - before;
  const Differences differences =
      differences_of(cached, last_.alone) +
      differences_of(changes(last_.before, files_in(directory_)), changes(last_.before, last_.after));
  for (const std::string& difference : differences) ADD_FAILURE() << difference;
  return counted;
}

}  // namespace hipcache::integration
