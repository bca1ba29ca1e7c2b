#include "integration/commands/case_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "hipcache/base/text.h"
#include "integration/commands/command.h"
#include "integration/support/compiler.h"
#include "integration/support/explained.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

std::set<std::string> counted_names(const std::map<std::string, std::int64_t>& counts) {
  std::set<std::string> names;
  for (const auto& [name, count] : counts)
    if (count != 0) names.insert(name);
  return names;
}

// A project and its runs.
class Project {
 public:
  Project(const Cache& cache, Driver driver)
      : cache_(cache), driver_(driver), runtime_(support::read_bytes(write_runtime(directory_))) {}

  void write(const Texts& texts) const {
    for (const auto& [name, text] : texts) directory_.write(name, filled_in(text));
  }

  void check(const CaseRun& run, bool is_first) {
    change(run);
    const Request request = request_of(run);
    nlohmann::json explained;
    if (!run.explains.empty()) explained = expect_explained(run, request);
    const Files before = files_in(directory_.path());
    const Counts counted = oracle_.check(request);
    SCOPED_TRACE(counted.json.dump());
    if (!run.explains.empty()) expect_predicted(explained, counted);
    if (run.ties) expect_ties(*run.ties, request);
    expect_end(run, before);
    expect_outcome(counted, run);
    if (run.runs) {
      EXPECT_EQ(counted_steps(counted), *run.runs);
      EXPECT_EQ(counted.hits, may_be_hit(*run.runs) ? 1 : 0);
    } else if (!run.passes.empty()) {
      expect_outcome(oracle_.check_again(), run);
    } else if (!run.fails) {
      ASSERT_TRUE(is_first) << "a later run must say what runs";
      EXPECT_EQ(counted.hits, 0);
      const Counts again = oracle_.check_again();
      EXPECT_EQ(again.hits, 1);
      EXPECT_EQ(counted_steps(again), std::multiset<std::string>());
    }
  }

 private:
  std::string filled_in(std::string text) const {
    text = replace_all(std::move(text), "{kernel}", kernel_source());
    text = replace_all(std::move(text), "{runtime}", runtime_);
    text = replace_all(std::move(text), "{elsewhere}", elsewhere_.path());
    return replace_all(std::move(text), "{dir}", directory_.path());
  }

  void change(const CaseRun& run) const {
    for (const std::string& line : run.before) {
      const Ended ended = integration::run(command_of(filled_in(line), directory_.path(), driver_), directory_.path());
      EXPECT_EQ(ended.exit_code, 0) << line << ": " << ended.err;
    }
    write(run.edit);
    for (const auto& [name, text] : run.unnoticed) {
      const fs::path path = directory_ / name;
      const auto time = fs::last_write_time(path);
      ASSERT_EQ(fs::file_size(path), filled_in(text).size()) << name;
      write({{name, text}});
      fs::last_write_time(path, time);
    }
  }

  Request request_of(const CaseRun& run) const {
    const std::string in = run.in.empty() ? directory_.path() : directory_ / run.in;
    Request request{command_of(replace_all(filled_in(run.run), "{in}", in), directory_.path(), driver_),
                    run.below.empty() ? in : in + "/" + run.below, run.variables};
    for (auto& [name, value] : request.variables) value = replace_all(filled_in(value), "{in}", in);
    return request;
  }

  Explained explain(const Request& request) const {
    const Ended ended = cache_.run(Arguments{"--explain", "--format", "json", "--"} + request.command,
                                   request.directory, request.variables);
    EXPECT_EQ(ended.err, "");
    return Explained(nlohmann::json::parse(ended.out));
  }

  // In the names of explanations, "device gfx906" is the step that tables call gfx906.
  static std::string step_of(const std::string& name) { return name.starts_with("gfx") ? "device " + name : name; }

  void expect_lines(const std::vector<std::string>& lines, const std::vector<std::string>& patterns) const {
    const auto matches = [this](const std::string& line, const std::string& pattern) {
      return pattern_of(line, {filled_in(pattern)}).has_value();
    };
    EXPECT_TRUE(std::ranges::equal(lines, patterns, matches))
        << testing::PrintToString(lines) << " instead of " << testing::PrintToString(patterns);
  }

  nlohmann::json expect_explained(const CaseRun& run, const Request& request) const {
    const Explained explained = explain(request);
    for (const auto& [step, patterns] : run.explains) {
      SCOPED_TRACE("explained: " + step);
      expect_lines(explained.lines(step_of(step)), patterns);
    }
    return explained.json();
  }

  void expect_ties(const Lists& ties, const Request& request) const {
    const Explained explained = explain(request);
    EXPECT_EQ(ties.empty() ? explained.ties() : std::vector<std::string>(), std::vector<std::string>());
    for (const auto& [step, patterns] : ties) {
      SCOPED_TRACE("tied: " + step);
      expect_lines(explained.ties(step_of(step)), patterns);
    }
  }

  // The steps that were said to run did, and no others. A step may depend on what comes of others.
  static void expect_predicted(const nlohmann::json& explained, const Counts& counted) {
    for (const nlohmann::json& step : explained.at("steps")) {
      const std::string name = step.at("name"), verdict = step.at("verdict");
      if (name == "probe" || verdict == "depends") continue;
      EXPECT_EQ(counted.run.at(name == "compile" ? "host" : name), verdict == "would run" ? 1 : 0) << name;
    }
  }

  // What the compiler did, which hipcache did as well.
  void expect_end(const CaseRun& run, const Files& before) const {
    const Ended& ended = oracle_.alone();
    EXPECT_EQ(ended.exit_code, run.exit_code) << ended.err;
    EXPECT_NE((ended.out + ended.err).find(run.says), std::string::npos) << ended.out << ended.err;
    const std::set<std::string> left = names_of(changes(before, files_in(directory_.path())), run.leaves);
    EXPECT_EQ(run.leaves.empty() ? run.leaves : left, run.leaves);
    for (const auto& [name, text] : run.holds)
      EXPECT_NE(support::read_bytes(directory_ / name).find(text), std::string::npos) << name;
  }

  static void expect_outcome(const Counts& counted, const CaseRun& run) {
    const std::set<std::string> passed = counted_names(counted.reasons), not_stored = counted_names(counted.not_stored);
    EXPECT_EQ(counted.passed, run.passes.empty() ? 0 : 1);
    EXPECT_TRUE(run.passes.empty() || passed.contains(run.passes));
    EXPECT_EQ(counted.failed, run.fails ? 1 : 0);
    EXPECT_TRUE(run.fails || counted.passed == 1 || not_stored == run.not_stored);
  }

  // The driver may run although every other step is found, and so may the bundler.
  static bool may_be_hit(std::multiset<std::string> steps) {
    steps.erase("probe");
    steps.erase("bundle");
    return steps.empty();
  }

  const Cache& cache_;
  Driver driver_;
  support::Scratch directory_, elsewhere_;
  const std::string runtime_;
  Oracle oracle_{cache_, directory_.path()};
};

}  // namespace

void CaseCheck::check(const Case& one, const Texts& files) {
  SCOPED_TRACE(one.name);
  cache_.use_namespace("case " + std::to_string(++checked_));
  Project project(cache_, driver_);
  Texts all = one.files;
  all.insert(files.begin(), files.end());
  project.write(all);
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    SCOPED_TRACE("run " + std::to_string(i + 1) + " of \"" + one.name + "\": " + one.runs[i].run);
    project.check(one.runs[i], i == 0);
  }
}

}  // namespace hipcache::integration
