#include "integration/commands/line_check.h"

#include <gtest/gtest.h>

#include <fstream>

#include "integration/commands/command.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

const std::string kOut = "standard output";
const std::string kErr = "standard error";

std::set<std::string> steps_run(const Counts& counted) {
  const std::multiset<std::string> steps = counted_steps(counted);
  std::set<std::string> names(steps.begin(), steps.end());
  names.erase("probe");
  return names;
}

std::int64_t count_of(const std::map<std::string, std::int64_t>& counts, const std::string& name) {
  const auto at = counts.find(name);
  return at == counts.end() ? 0 : at->second;
}

// Checks the request's outcome in an empty cache.
void expect_outcome(const Counts& counted, const Line& line) {
  const std::string shown = counted.json.dump();
  if (!line.passes.empty()) {
    EXPECT_EQ(counted.passed, 1);
    EXPECT_EQ(count_of(counted.reasons, line.passes), 1) << "not passed through for this: " << line.passes << shown;
    return;
  }
  EXPECT_EQ(counted.passed, 0) << counted.json.at("not_cached");
  EXPECT_EQ(counted.hits, 0);
  EXPECT_EQ(counted.failed, line.fails ? 1 : 0);
  if (!line.cached.empty()) {
    EXPECT_EQ(count_of(counted.run, "probe"), line.cached == "planned" ? 1 : 0);
  }
  if (line.cached == "opaque") {
    EXPECT_EQ(steps_run(counted), std::set<std::string>{"host"});
  }
  if (line.cached == "link") {
    EXPECT_EQ(steps_run(counted), std::set<std::string>{"link"});
  }
  std::set<std::string> reasons;
  for (const auto& [reason, count] : counted.not_stored)
    if (count != 0) reasons.insert(reason);
  if (line.not_stored.empty()) {
    EXPECT_EQ(reasons, std::set<std::string>());
  } else {
    EXPECT_TRUE(reasons.contains(line.not_stored)) << shown;
  }
}

// Files that the compiler makes differently each time are compared by name and mode.
Files without_bytes_of(const std::set<std::string>& random, Files files) {
  for (auto& [name, described] : files)
    if (pattern_of(name, random)) described.resize(described.find(' '));
  return files;
}

}  // namespace

LineCheck::Outcome LineCheck::through_hipcache(const Arguments& command, const Variables& variables) const {
  const Counts before = cache_.counts();
  Outcome outcome;
  outcome.ended = cache_.run(command, directory_, variables);
  outcome.counted = cache_.counts() - before;
  outcome.left = changes(start_, files_in(directory_));
  return outcome;
}

// A split compile gets hipcache's id; any other command stays as typed.
LineCheck::Outcome LineCheck::alone(const Arguments& command, const Line& line) const {
  Arguments fixed = command;
  if (line.passes.empty() && line.cached != "opaque" && line.cached != "link") {
    fixed = with_id(std::move(fixed), cache_.plan(command, directory_, line.variables).value("cuid", ""));
  }
  Outcome outcome;
  outcome.ended = run(fixed, directory_, line.variables);
  outcome.left = changes(start_, files_in(directory_));
  return outcome;
}

void LineCheck::prepare(const Line& line) {
  EXPECT_EQ(cache_.control("--clear").exit_code, 0);
  for (const std::string& command : line.before) {
    const Ended ended = run(command_of(command, directory_, driver_), directory_, line.variables);
    EXPECT_EQ(ended.exit_code, 0) << command << ": " << ended.err;
  }
  start_ = files_in(directory_);
}

void LineCheck::expect_same(const Outcome& cached, const Outcome& other, const Line& line, bool same_run) const {
  const std::set<std::string> random = same_run ? std::set<std::string>() : line.random;
  Ended ended = cached.ended;
  if (random.contains(kOut)) ended.out = other.ended.out;
  if (random.contains(kErr)) ended.err = other.ended.err;
  for (const std::string& difference :
       differences_of(ended, other.ended) +
           differences_of(without_bytes_of(random, cached.left), without_bytes_of(random, other.left)))
    ADD_FAILURE() << difference;
}

// Repeats the command twice: with its outputs in place, and without them.
void LineCheck::expect_hits(const Arguments& command, const Outcome& cold, const Outcome& first, const Line& line) {
  for (const bool in_place : {true, false}) {
    SCOPED_TRACE(in_place ? "again, over its outputs" : "again, without its outputs");
    Outcome expected = line.random.empty() ? first : cold;
    if (!in_place) back_to(start_);
    if (in_place && !line.grows.empty()) {
      const Files grown = files_in(directory_);
      expected = alone(command, line);
      restore(directory_, grown, files_in(directory_));
    }
    const Outcome warm = through_hipcache(command, line.variables);
    EXPECT_EQ(warm.counted.hits, 1) << warm.counted.json;
    EXPECT_EQ(steps_run(warm.counted), std::set<std::string>());
    EXPECT_EQ(count_of(warm.counted.run, "probe"), 0);
    expect_same(warm, expected, line, true);
  }
}

void LineCheck::expect_afterwards(const Afterwards& then, const Line& line) {
  const std::string run = then.run.empty() ? line.run : then.run;
  SCOPED_TRACE("then: " + run);
  back_to(start_);
  for (const auto& [name, text] : then.edit) std::ofstream(directory_ + "/" + name, std::ios::binary) << text;
  const Files edited = files_in(directory_);
  const Arguments command = command_of(run, directory_, driver_);
  const Outcome cached = through_hipcache(command, line.variables);
  std::set<std::string> steps = steps_run(cached.counted);
  for (const std::string& step : then.may_run) steps.erase(step);
  EXPECT_EQ(steps, then.runs);
  back_to(edited);
  expect_same(cached, alone(command, line), line, false);
  back_to(start_);
}

void LineCheck::check(const Line& line) {
  SCOPED_TRACE(line.run);
  prepare(line);
  const Arguments command = command_of(line.run, directory_, driver_);
  const Outcome cold = through_hipcache(command, line.variables);
  expect_outcome(cold.counted, line);
  back_to(start_);

  const Outcome expected = alone(command, line);
  EXPECT_EQ(expected.ended.exit_code, line.exit_code) << expected.ended.err;
  EXPECT_EQ(names_of(expected.left, line.leaves), line.leaves);
  EXPECT_NE((expected.ended.out + expected.ended.err).find(line.says), std::string::npos) << expected.ended.err;
  expect_same(cold, expected, line, false);

  if (!line.cached.empty()) expect_hits(command, cold, expected, line);
  for (const Afterwards& then : line.then) expect_afterwards(then, line);
  back_to(pristine_);
}

}  // namespace hipcache::integration
