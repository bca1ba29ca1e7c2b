#include "inputs/sources/source_use.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "inputs/rules/origin.h"
#include "inputs/sources/known_sources.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

// "NAME=VALUE" and "NAME(x)=VALUE" as a #define.
std::string definition_of(std::string_view macro) {
  const std::size_t equals = macro.find('=');
  std::string line = "#define " + std::string(macro.substr(0, equals)) + " ";
  if (equals != macro.npos) line += macro.substr(equals + 1);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

bool holds_options(std::string_view path) {
  const std::string_view name = base_name(path);
  return name.ends_with(".cfg") || name.ends_with(".specs") || name.ends_with(".spec") || name == "specs";
}

// Headers that declare std::source_location itself.
bool declares_source_location(std::string_view path) { return base_name(path) == "source_location"; }

// gcc runs its compilers proper as programs, clang has its own name in that of a program or library.
bool is_by_gcc(const std::vector<Observation>& observations) {
  constexpr std::array<std::string_view, 4> kProper = {"cc1", "cc1plus", "cc1obj", "cc1objplus"};
  bool has_proper = false;
  for (const Observation& observation : observations) {
    if (observation.question != Question::content) continue;
    const std::string_view name = base_name(observation.name);
    if (name.find("clang") != name.npos) return false;
    has_proper = has_proper || std::find(kProper.begin(), kProper.end(), name) != kProper.end();
  }
  return has_proper;
}

// Whether each macro of the command counts for all of the compile. Options of the driver hand arguments to one side
// only (-Xarch_host), or to programs that take them for something else.
bool names_all_macros(const std::vector<std::string>& arguments, const RunContext& from) {
  return from.variable("CCC_OVERRIDE_OPTIONS") == nullptr &&
         std::none_of(arguments.begin(), arguments.end(),
                      [](std::string_view argument) { return argument.starts_with("-X"); });
}

}  // namespace

SourceNames macros_of_command(const std::vector<std::string>& arguments) {
  std::string text;
  bool is_known = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "-D" && i + 1 < arguments.size())
      text += definition_of(arguments[i + 1]);
    else if (argument.starts_with("-D"))
      text += definition_of(argument.substr(2));
    else if (argument == "-U" && i + 1 < arguments.size())
      text += "#undef " + arguments[i + 1] + "\n";
    else if (argument.starts_with("-U"))
      text += "#undef " + std::string(argument.substr(2)) + "\n";
    else if (argument.starts_with("--define-macro="))
      text += definition_of(argument.substr(argument.find('=') + 1));
    else if (argument.starts_with("--define-macro") || argument.starts_with("--undefine-macro") ||
             argument.starts_with("-Wp,") || argument.starts_with('@') || argument.starts_with("--config") ||
             argument == "-Xpreprocessor")
      is_known = false;
  }
  SourceNames names = scan_source(text, Wanted::names).names;
  names.is_known = names.is_known && is_known;
  return names;
}

SourceUse::SourceUse(const std::vector<Observation>& observations, const RunContext& from,
                     const std::vector<std::string>& arguments, Command command, FileSystemMemo& memo)
    : command_macros_(std::make_shared<const SourceNames>(macros_of_command(arguments))),
      is_by_gcc_(inputs::is_by_gcc(observations)),
      has_unknown_names_(!command_macros_->is_known) {
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (asks_about_content(observations[i].question)) add(i, observations[i], from, memo);
  const bool knows_all_macros =
      command == Command::is_whole && !has_unknown_names_ && !reads_options_ && names_all_macros(arguments, from);
  reach_ = std::make_unique<Reach>(sources_, command_macros_, knows_all_macros);
  for (const ReadSource& source : sources_) {
    leads_.push_back(reach_->of_live(source));
    if (!source.is_installed) of_project_ |= leads_.back();
    if (!declares_source_location(source.path) && (leads_.back() & kToCaller) != 0) asks_callers_ = true;
  }
}

bool SourceUse::may_begin_unnamed(const ReadFile& file) const {
  return (leads(file) & kToUnnamed) != 0 || reach_->has_macro_among(sources_[file.source].names->named_types);
}

void SourceUse::add(std::size_t index, const Observation& observation, const RunContext& from, FileSystemMemo& memo) {
  const std::string path = from.path_of(observation.name);
  const std::optional<Digest> content = content_of(path, memo);
  if (!content) return;
  const std::string place = from.roots.local_path(observation.name);
  ReadFile file{.observation = index,
                .path = path,
                .content = *content,
                .is_own_of_toolchain = is_toolchains_own(place, from.roots),
                .root = from.roots.holding(place)};
  reads_options_ = reads_options_ || holds_options(path);
  const bool is_project = file.root != 0 && !file.is_own_of_toolchain;
  if (const auto names = names_in_source(path, *content, memo)) {
    if (!names->is_data) {
      file.source = sources_.size();
      has_unknown_names_ = has_unknown_names_ || !names->is_known;
      sources_.push_back({.path = path,
                          .names = names,
                          .is_installed = !is_project && (is_installed(path) || file.is_own_of_toolchain),
                          .is_in_root = file.root != 0});
    }
  } else {
    has_unknown_names_ = true;
  }
  files_.push_back(std::move(file));
}

}  // namespace hipcache::inputs
