#include "fuzz/oracle/walk.h"

#include <time.h>

#include <algorithm>

#include "fuzz/oracle/compile_edits.h"
#include "fuzz/oracle/project.h"
#include "hipcache/base/files.h"

namespace hipcache::fuzz {
namespace {

constexpr std::size_t kRemembered = 24;
constexpr std::uint64_t kLogLimit = 64u << 20;

// Files carry the kernel's coarse clock: after its next tick no file is as young as what starts then.
void wait_for_the_next_tick() {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_REALTIME_COARSE, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  const auto start = now();
  while (now() == start) {
  }
}

bool asks_for_time(const Snapshot& tree) {
  return std::any_of(tree.begin(), tree.end(), [](const auto& named) {
    return named.second.kind == Entry::Kind::file && named.second.text.find("__TIMESTAMP__") != std::string::npos;
  });
}

// As a shell would take it.
std::string line_of(const integration::Request& request) {
  std::string line = "cd " + request.directory + " &&";
  for (const auto& [name, value] : request.variables) line += " " + name + "='" + value + "'";
  for (const std::string& word : request.command) line += " " + word;
  return line;
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
  wait_for_the_next_tick();
  const Occasion now = occasion();
  const Result<std::string> log = read_file(notes_ / "log", kLogLimit);
  const integration::Comparison comparison = oracle_.compare(requests());
  const std::vector<Finding> findings = judge(now, comparison, ledger_);
  tally_.take(comparison, findings);
  if (options_.verbose) tell(comparison);
  if (!findings.empty()) report(findings, log ? log->size() : 0);
  remember(comparison, now.state);
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
  const bool time_is_given = options_.compiler.version != "15" && compile_.environment.contains("SOURCE_DATE_EPOCH");
  now.clocked = !time_is_given && asks_for_time(tree_.snapshot());
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

void Walk::remember(const integration::Comparison& comparison, const Digest& state) {
  const bool all_hit = comparison.counted.hits == static_cast<std::int64_t>(comparison.exit_codes.size());
  const bool stored = is_settled(comparison) && (all_hit || !settings_.contains("HIPCACHE_READONLY"));
  for (const Compile& compile : occasion().compiles)
    stored ? ledger_.settled(compile, state) : ledger_.tried(compile, state);
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

void Walk::report(const std::vector<Finding>& findings, std::size_t log_size) {
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
          " --compiler " + options_.compiler.version + " --keep\n";
  if (options_.keep) {
    project_.keep();
    text += "  the project stays in " + project_.path() + "\n";
  }
  print_(text);
}

}  // namespace hipcache::fuzz
