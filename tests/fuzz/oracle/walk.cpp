#include "fuzz/oracle/walk.h"

#include <algorithm>

#include "fuzz/oracle/evidence.h"
#include "fuzz/oracle/model/compile_edits.h"
#include "fuzz/oracle/model/project.h"
#include "hipcache/base/files.h"

namespace hipcache::fuzz {
namespace {

constexpr std::size_t kRemembered = 24;
constexpr std::uint64_t kLogLimit = 64u << 20;

bool asks_for_time(const Snapshot& tree) {
  return std::any_of(tree.begin(), tree.end(), [](const auto& named) {
    return named.second.kind == Entry::Kind::file && named.second.text.find("__TIMESTAMP__") != std::string::npos;
  });
}

// clang 15 does not know the variable, and g++ not in place of a file's own time.
bool takes_time_from_variable(const Compile& compile, const integration::Compiler& compiler) {
  return compile.environment.contains("SOURCE_DATE_EPOCH") && compile.driver != "g++" && compiler.version != "15";
}

std::string indented(const std::string& text) {
  std::string lines = "    ";
  for (const char c : text) lines += c == '\n' ? "\n    " : std::string(1, c);
  return lines + "\n";
}

}  // namespace

Walk::Walk(const WalkOptions& options, Tally& tally, Print print)
    : options_(options),
      tally_(tally),
      print_(std::move(print)),
      random_(options.seed),
      cache_({{"HIPCACHE_LOG", notes_ / "log"}}),
      tree_(make_tree(random_, project_)),
      oracle_(cache_, project_.path()),
      compile_(first_compile(random_)) {}

void Walk::run(const std::function<bool()>& is_over) {
  while (number_ < options_.steps && !is_over())
    if (!step()) break;
  tally_.end_of_walk();
}

bool Walk::step() {
  begin_step();
  const Occasion now = occasion();
  const Result<std::string> log = read_file(notes_ / "log", kLogLimit);
  const integration::Comparison comparison = oracle_.compare(requests());
  const std::vector<Finding> findings = judge(now, comparison, ledger_);
  tally_.take(comparison, findings);
  if (options_.verbose) tell(comparison);
  if (!findings.empty()) report(findings, comparison, log ? log->size() : 0);
  remember(now, comparison);
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.kind == Finding::Kind::mismatch; });
}

void Walk::begin_step() {
  ++number_;
  beside_.clear();
  settings_.clear();
  done_ = number_ == 1 ? "the first compile" : change();
}

Occasion Walk::occasion() const {
  Occasion now{.compiles = beside_, .state = tree_.state()};
  now.compiles.insert(now.compiles.begin(), compile_);
  now.recache = settings_.contains("HIPCACHE_RECACHE");
  now.reads_only = settings_.contains("HIPCACHE_READONLY");
  now.clocked = asks_for_time(tree_.snapshot()) &&
                !std::all_of(now.compiles.begin(), now.compiles.end(), [&](const Compile& compile) {
                  return takes_time_from_variable(compile, options_.compiler);
                });
  return now;
}

std::vector<integration::Request> Walk::requests() const {
  std::vector<integration::Request> requests;
  for (const Compile& compile : occasion().compiles) {
    requests.push_back(request_for(compile, options_.compiler, tree_.root()));
    requests.back().variables.insert(settings_.begin(), settings_.end());
  }
  return requests;
}

void Walk::remember(const Occasion& now, const integration::Comparison& comparison) {
  const bool settled = is_settled(now, comparison);
  for (const Compile& compile : now.compiles)
    settled ? ledger_.settled(compile, now.state) : ledger_.tried(compile, now.state);
  const bool good =
      std::all_of(comparison.exit_codes.begin(), comparison.exit_codes.end(), [](int c) { return c == 0; });
  history_.push_back({tree_.snapshot(), compile_, good});
  if (history_.size() > kRemembered) history_.pop_front();
}

void Walk::tell(const integration::Comparison& comparison) const {
  const integration::Counts& counted = comparison.counted;
  std::string line = options_.compiler.program() + " " + std::to_string(options_.seed) + " step " +
                     std::to_string(number_) + ": " + done_ + ":";
  for (const int code : comparison.exit_codes) line += " exit " + std::to_string(code);
  for (const auto& [outcome, count] : {std::pair{" hit", counted.hits},
                                       {" partial", counted.partials},
                                       {" miss", counted.misses},
                                       {" passed through", counted.passed}})
    if (count > 0) line += outcome;
  print_(line + "\n");
}

void Walk::report(const std::vector<Finding>& findings, const integration::Comparison& comparison,
                  std::size_t log_size) const {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.kind == Finding::Kind::mismatch ? "mismatch: " : "needless miss: ";
    text += options_.compiler.program() + ", seed " + std::to_string(options_.seed) + ", step " +
            std::to_string(number_) + " (" + done_ + ")\n" + indented(finding.text);
  }
  for (const integration::Request& request : requests()) text += "  " + line_of(request) + "\n";
  if (const Result<std::string> log = read_file(notes_ / "log", kLogLimit); log && log->size() > log_size)
    text += "  the daemon's log:\n" + indented(log->substr(log_size));
  text += "  again: tools/soak --seed " + std::to_string(options_.seed) + " --steps " + std::to_string(number_) +
          " --compiler " + options_.compiler.version + "\n";
  print_(text + "  evidence: " + keep_evidence(text, requests(), comparison) + "\n");
}

}  // namespace hipcache::fuzz
