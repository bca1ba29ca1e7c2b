#include "integration/oracle.h"

#include <gtest/gtest.h>

#include <utility>

#include "integration/tree.h"

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
  if (!cuid.empty()) fixed.command.push_back("-cuid=" + cuid);
  return fixed;
}

Comparison Oracle::compare(const std::vector<Request>& at_once) const {
  const Files start = files_in(directory_);
  const Counts before = cache_.counts();
  const std::vector<Ended> cached = run_at_once(cache_, at_once);
  Comparison comparison{.counted = cache_.counts() - before, .exit_codes = {}, .differences = {}};
  const Files by_cache = files_in(directory_);
  restore(directory_, start, by_cache);
  Differences& differences = comparison.differences;

  for (std::size_t i = 0; i < at_once.size(); ++i) {
    const Request fixed = with_cuid(at_once[i]);
    differences = differences + differences_of(cached[i], run(fixed.command, fixed.directory, fixed.variables));
    comparison.exit_codes.push_back(cached[i].exit_code);
  }
  differences = differences + differences_of(changes(start, by_cache), changes(start, files_in(directory_)));
  return comparison;
}

Counts Oracle::check(const Arguments& command, const Variables& variables) {
  const Comparison comparison = compare({{command, directory_, variables}});
  for (const std::string& difference : comparison.differences) ADD_FAILURE() << difference;
  exit_code_ = comparison.exit_codes.front();
  return comparison.counted;
}

}  // namespace hipcache::integration
