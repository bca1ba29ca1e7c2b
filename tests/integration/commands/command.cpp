#include "integration/commands/command.h"

#include <fnmatch.h>

#include "hipcache/base/text.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

// Of the clang that the driver is.
std::string version_of(Driver driver) { return driver == Driver::kClang15 ? "15" : "19"; }

Arguments driver_of(const std::string& word, Driver driver) {
  if (driver == Driver::kGcc) return {word == "cc" ? "gcc" : word == "c++" ? "g++" : word};
  const Compiler compiler{version_of(driver)};
  if (word == "hip") return compiler.hip();
  if (word == "cc") return {"clang-" + compiler.version};
  if (word == "c++") return {compiler.program()};
  const bool is_of_version = word == "clang" || word == "clang++" || word == "llvm-profdata";
  return {is_of_version ? word + "-" + compiler.version : word};
}

}  // namespace

Arguments command_of(const std::string& run, const std::string& directory, Driver driver) {
  Arguments command;
  for (const std::string& word : words(run)) {
    if (command.empty()) {
      command = driver_of(word, driver);
    } else {
      command.push_back(replace_all(replace_all(word, "{dir}", directory), "{version}", version_of(driver)));
    }
  }
  return command;
}

std::multiset<std::string> counted_steps(const Counts& counted) {
  static const std::set<std::string> kParts{"device", "proof", "front", "back", "split_codegen_proof", "audit"};
  static const std::string kDevice = "device ";
  std::multiset<std::string> steps;
  for (const auto& [name, count] : counted.run)
    for (std::int64_t time = 0; time < count && !kParts.contains(name); ++time)
      steps.insert(name.starts_with(kDevice) ? name.substr(kDevice.size()) : name);
  return steps;
}

std::optional<std::string> pattern_of(const std::string& name, const std::set<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return pattern;
  return std::nullopt;
}

std::set<std::string> names_of(const Files& files, const std::set<std::string>& patterns) {
  std::set<std::string> names;
  for (const auto& [name, bytes] : files) names.insert(pattern_of(name, patterns).value_or(name));
  return names;
}

}  // namespace hipcache::integration
