#include "hipcache/compiler/option_facts.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"

namespace hipcache::compiler {
namespace {

using namespace facts;

// A line of a table.
struct Line {
  constexpr Line(std::string_view option, OptionFacts its_facts, Reason why, Cc1Role its_role = Cc1Role::plain)
      : name(option), facts(its_facts), reason(why), role(its_role) {
    if (name.ends_with('*')) {
      name.remove_suffix(1);
      begins_words = true;
    }
  }
  constexpr Line(std::string_view option, OptionFacts its_facts, Cc1Role its_role = Cc1Role::plain)
      : Line(option, its_facts, Reason::none, its_role) {}

  bool is_of(std::string_view word) const {
    return word.starts_with(name) && (begins_words || word.size() == name.size());
  }

  std::string_view name;
  bool begins_words = false;
  OptionFacts facts;
  Reason reason;
  Cc1Role role;
};

constexpr Line kCompilers[] = {
#include "compiler/options/command_facts.inc"
#include "compiler/options/plan_facts.inc"
};

constexpr Line kLinkers[] = {
    // By chance.
    {"randomize-section-padding", refused, Reason::linker_option},
    {"shuffle-sections", refused, Reason::linker_option},
    // These measure.
    {"perf", refused, Reason::statistics},
    {"stats", refused, Reason::statistics},
    {"time-passes", refused, Reason::statistics},
    {"time-report", refused, Reason::statistics},
    {"time-trace", refused, Reason::statistics},
    {"time-trace-file", refused, Reason::statistics},
    {"time-trace-granularity", refused, Reason::statistics},
    // These load code.
    {"load-pass-plugin", refused, Reason::plugin},
    {"plugin", refused, Reason::plugin},
    // These read files that an earlier run left, or write a record of this run.
    {"incremental", refused, Reason::linker_option},
    {"incremental-base", refused, Reason::linker_option},
    {"incremental-changed", refused, Reason::linker_option},
    {"incremental-full", refused, Reason::linker_option},
    {"incremental-unchanged", refused, Reason::linker_option},
    {"incremental-unknown", refused, Reason::linker_option},
    {"incremental-update", refused, Reason::linker_option},
    {"reproduce", refused, Reason::linker_option},
    {"thinlto-cache-dir", refused, Reason::linker_option},
    {"thinlto-cache-policy", refused, Reason::linker_option},
};

// The list omits options that write another file (Map, dependency-file, reproduce, thinlto-cache-dir) or print about
// the run itself (stats, trace, verbose, time-trace). It also omits options that randomise (shuffle-sections) or load
// code (plugin).
constexpr std::string_view kSafeForLinkers =
    " ( ) Bdynamic Bstatic Bsymbolic Bsymbolic-functions E EB EL I L N O O0 O1 O2 O3 S T X "
    " allow-multiple-definition allow-shlib-undefined as-needed build-id call_shared color-diagnostics "
    " compress-debug-sections copy-dt-needed-entries d defsym demangle disable-new-dtags discard-all "
    " discard-locals dn dy dynamic-linker dynamic-list e eh-frame-hdr emit-relocs enable-new-dtags end-group "
    " end-lib entry error-limit exclude-libs export-dynamic export-dynamic-symbol export-dynamic-symbol-list "
    " fatal-warnings fini gc-sections gdb-index h hash-style icf init l library library-path m "
    " no-allow-shlib-undefined no-as-needed no-copy-dt-needed-entries no-demangle no-dynamic-linker "
    " no-eh-frame-hdr no-export-dynamic no-fatal-warnings no-gc-sections no-keep-memory no-pie no-relax "
    " no-rosegment no-undefined no-undefined-version no-warn-execstack no-warn-mismatch no-warn-rwx-segments "
    " no-whole-archive non_shared nostdlib o pack-dyn-relocs package-metadata pic-executable pie pop-state "
    " push-state q r relax relocatable retain-symbols-file rpath rpath-link s script shared soname start-group "
    " start-lib static strip-all strip-debug sysroot u undefined undefined-version unresolved-symbols "
    " version-script whole-archive wrap x z ";

constexpr Line kIree[] = {
    {"h", refused, Reason::driver_information},
    {"help*", refused, Reason::driver_information},
    {"iree-hal-list-*", refused, Reason::driver_information},
    {"iree-list-plugins", refused, Reason::driver_information},
    {"iree-llvmcpu-list-targets", refused, Reason::driver_information},
    {"iree-print-plugin-info", refused, Reason::driver_information},
    {"list-passes", refused, Reason::driver_information},
    {"print-all-options", refused, Reason::driver_information},
    {"print-options", refused, Reason::driver_information},
    {"show-dialects", refused, Reason::driver_information},
    {"version", refused, Reason::driver_information},
    {"mlir-timing", refused, Reason::time_trace},
    {"profile-actions-to*", refused, Reason::time_trace},
    {"time-passes", refused, Reason::time_trace},
    {"time-phases", refused, Reason::time_trace},
    {"time-trace*", refused, Reason::time_trace},
    {"info-output-file*", refused, Reason::statistics},
    {"mlir-pass-statistics", refused, Reason::statistics},
    {"stats*", refused, Reason::statistics},
    {"track-memory", refused, Reason::statistics},
    {"iree-load-plugin", refused, Reason::plugin},
    {"load", refused, Reason::plugin},
    {"load-dialect-plugin*", refused, Reason::plugin},
    {"load-pass-plugin*", refused, Reason::plugin},
    // They lie in the temporary directory, which a step has for itself.
    {"iree-llvmcpu-keep-linker-artifacts", refused, Reason::save_temps},
};

// The lines in the order of their names. A hit asks about each of its arguments, so a look-up takes a binary search
// and the lines whose names begin the word.
class Table {
 public:
  explicit Table(std::span<const Line> lines) : lines_(lines.begin(), lines.end()), shorter_(lines.size(), kNone) {
    std::sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return a.name != b.name ? a.name < b.name : a.begins_words && !b.begins_words;
    });
    for (std::size_t i = 1; i < lines_.size(); ++i) {
      std::size_t before = i - 1;
      while (before != kNone && !lines_[i].name.starts_with(lines_[before].name)) before = shorter_[before];
      shorter_[i] = before;
    }
  }

  // The longest line of the word with one of the facts, or null.
  const Line* find(std::string_view word, OptionFacts facts) const {
    const auto after = std::upper_bound(lines_.begin(), lines_.end(), word,
                                        [](std::string_view text, const Line& line) { return text < line.name; });
    for (auto at = static_cast<std::size_t>(after - lines_.begin()) - 1; at != kNone; at = shorter_[at])
      if ((lines_[at].facts & facts) != 0 && lines_[at].is_of(word)) return &lines_[at];
    return nullptr;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<Line> lines_;
  std::vector<std::size_t> shorter_;  // of each line, the longest other one whose name begins its name
};

const Table& compilers() {
  static const Table table(kCompilers);
  return table;
}

Reason reason_in(const Table& table, std::string_view word, OptionFacts facts) {
  const Line* line = table.find(word, facts);
  return line == nullptr ? Reason::none : line->reason;
}

}  // namespace

std::string_view option_with(std::string_view word, OptionFacts facts) {
  const Line* line = compilers().find(word, facts);
  return line == nullptr ? std::string_view() : line->name;
}

bool option_has(std::string_view word, OptionFacts facts) { return compilers().find(word, facts) != nullptr; }

bool is_option(std::string_view word, OptionFacts facts) {
  return !word.empty() && option_with(word, facts).size() == word.size();
}

Reason reason_against(std::string_view word, OptionFacts facts) { return reason_in(compilers(), word, facts); }

Cc1Role cc1_role(std::string_view option) {
  const auto line = std::find_if(std::begin(kCompilers), std::end(kCompilers),
                                 [&](const Line& one) { return one.role != Cc1Role::plain && one.is_of(option); });
  return line == std::end(kCompilers) ? Cc1Role::plain : line->role;
}

Reason refused_by_linkers(std::string_view name) {
  static const Table table(kLinkers);
  return reason_in(table, name, refused);
}

bool is_safe_for_linkers(std::string_view name) { return lists(kSafeForLinkers, name); }

Reason refused_by_iree(std::string_view name) {
  static const Table table(kIree);
  return reason_in(table, name, refused);
}

}  // namespace hipcache::compiler
