#include "hipcache/compiler/option_facts.h"

#include <llvm/Option/Option.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/options/option_table.h"
#include "hipcache/base/reason.h"

namespace hipcache::compiler {
namespace {

using namespace facts;
using namespace options;

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

struct ToolLine {
  Tool tool;
  Line line;
};

constexpr ToolLine kTools[] = {
#include "compiler/options/tool_facts.inc"
};

// Options of clang that take the next word, and have no such fact.
constexpr std::string_view kNotTaken[] = {
    // Their value is an option, and is judged.
    "-Xarch_", "-Xarch_device", "-Xarch_host", "-Xopenmp-target", "-Xopenmp-target=", "-Xoffload-compiler",
    "-Xoffload-linker",
    // They are refused.
    "-V", "--print-file-name", "--print-prog-name", "-print-file-name", "-print-prog-name",
    // gcc reads them as a shorter option with its value, or without one.
    "-meabi", "-undefined", "-umbrella", "-unexported_symbols_list", "-lazy_framework", "-lazy_library",
    "-exported_symbols_list", "-object-file-name",
    // They take several words.
    "-sectalign", "-sectcreate", "-sectobjectsymbols", "-sectorder", "-segaddr", "-segcreate", "-segprot",
    // No compile for these machines has them.
    "-G", "-validator-version", "-interface-stub-version=",
    // For tests of clang.
    "-ccc-arcmt-migrate", "-ccc-gcc-name", "-ccc-install-dir", "-ccc-objcmt-migrate",
    // Of later clangs. Nobody has judged what another compiler makes of them.
    "--cstdlib", "-Xclangas"};

// A row of clang's table.
struct Row {
  std::string_view prefixes, name, kind;
  unsigned flags;
};

constexpr Row kClangs[] = {
#define GROUP(id, name, group)
#define OPTION(prefixes, spelling, id, kind, group, alias, values, flags, count) {#prefixes, spelling, #kind, flags},
#include "compiler/options/clang_options.inc"
#undef OPTION
#undef GROUP
};

// A line for each option of clang's driver that takes the next word, in each of its spellings.
std::vector<Line> lines_of_clangs_table() {
  static std::deque<std::string> others;  // spellings that the table does not write out; the lines refer to them
  constexpr std::string_view kKinds[] = {"Separate", "JoinedOrSeparate", "JoinedAndSeparate", "MultiArg"};
  std::vector<Line> lines;
  for (const Row& row : kClangs) {
    if ((row.flags & kDriver) == 0 || row.prefixes == "none") continue;
    if (std::find(std::begin(kKinds), std::end(kKinds), row.kind) == std::end(kKinds)) continue;
    if (std::find(std::begin(kNotTaken), std::end(kNotTaken), row.name) != std::end(kNotTaken)) continue;
    lines.push_back({row.name, takes_next});
    if (row.prefixes == "both") lines.push_back({others.emplace_back("-" + std::string(row.name)), takes_next});
  }
  return lines;
}

std::vector<Line> lines_of(Tool tool) {
  if (tool == Tool::compiler) {
    std::vector<Line> lines = lines_of_clangs_table();
    lines.insert(lines.end(), std::begin(kCompilers), std::end(kCompilers));
    return lines;
  }
  std::vector<Line> lines;
  for (const ToolLine& one : kTools)
    if (one.tool == tool) lines.push_back(one.line);
  return lines;
}

// The lines in the order of their names. A hit asks about each of its arguments, so a look-up takes a binary search
// and the lines whose names begin the word.
class Table {
 public:
  explicit Table(Tool tool) : lines_(lines_of(tool)), shorter_(lines_.size(), kNone) {
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
    for (std::size_t at = last_for(word); at != kNone; at = shorter_[at])
      if ((lines_[at].facts & facts) != 0 && lines_[at].is_of(word)) return &lines_[at];
    return nullptr;
  }

  OptionFacts all_of(std::string_view word) const {
    OptionFacts facts = facts::none;
    for (std::size_t at = last_for(word); at != kNone; at = shorter_[at])
      if (lines_[at].is_of(word)) facts |= lines_[at].facts;
    return facts;
  }

 private:
  // The last line that may begin the word.
  std::size_t last_for(std::string_view word) const {
    const auto after = std::upper_bound(lines_.begin(), lines_.end(), word,
                                        [](std::string_view text, const Line& line) { return text < line.name; });
    return static_cast<std::size_t>(after - lines_.begin()) - 1;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<Line> lines_;
  std::vector<std::size_t> shorter_;  // of each line, the longest other one whose name begins its name
};

const Table& table_of(Tool tool) {
  static const Table compiler(Tool::compiler), linker(Tool::linker), archiver(Tool::archiver), bundler(Tool::bundler),
      wrapper(Tool::wrapper), iree(Tool::iree);
  switch (tool) {
    case Tool::linker:
      return linker;
    case Tool::archiver:
      return archiver;
    case Tool::bundler:
      return bundler;
    case Tool::wrapper:
      return wrapper;
    case Tool::iree:
      return iree;
    case Tool::compiler:
      break;
  }
  return compiler;
}

}  // namespace

std::string_view bare_option(std::string_view word) {
  if (!word.starts_with('-')) return "";
  return word.substr(word.starts_with("--") ? 2 : 1);
}

std::string_view option_with(std::string_view word, OptionFacts facts, Tool tool) {
  const Line* line = table_of(tool).find(word, facts);
  return line == nullptr ? std::string_view() : line->name;
}

bool option_has(std::string_view word, OptionFacts facts, Tool tool) {
  return table_of(tool).find(word, facts) != nullptr;
}

OptionFacts facts_of(std::string_view word) { return table_of(Tool::compiler).all_of(word); }

bool is_complete(std::string_view word) {
  if (!word.starts_with('-')) return true;
  if (option_has(word, takes_next | job_takes_next)) return false;
  const std::size_t path = word.find_first_of("/.");
  if (path != word.npos && is_option(word.substr(0, path), before_path)) return true;
  return option_has(word, stands_alone) || (word.starts_with("--") && word.find('=') != word.npos);
}

bool is_option(std::string_view word, OptionFacts facts) {
  return !word.empty() && option_with(word, facts).size() == word.size();
}

Reason reason_against(std::string_view word, OptionFacts facts, Tool tool) {
  const Line* line = table_of(tool).find(word, facts);
  return line == nullptr ? Reason::none : line->reason;
}

std::vector<std::string> values_of(const std::vector<std::string>& arguments, OptionFacts facts) {
  std::vector<std::string> values;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = option_with(arguments[i], facts);
    if (!name.empty() && name.size() < arguments[i].size())
      values.push_back(arguments[i].substr(name.size()));
    else if (!name.empty() && option_has(name, facts::takes_next) && i + 1 < arguments.size())
      values.push_back(arguments[++i]);
  }
  return values;
}

Cc1Role cc1_role(std::string_view option) {
  const auto line = std::find_if(std::begin(kCompilers), std::end(kCompilers),
                                 [&](const Line& one) { return one.role != Cc1Role::plain && one.is_of(option); });
  return line == std::end(kCompilers) ? Cc1Role::plain : line->role;
}

}  // namespace hipcache::compiler
