#include "inputs/sources/source_use.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "inputs/rules/path_class.h"
#include "inputs/state/digests.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/state/mounts.h"
#include "inputs/tokens/scan.h"

namespace hipcache::inputs {

namespace {

using namespace std::string_view_literals;

constexpr std::array kDataBegins = {
    "\x7f"
    "ELF"sv,
    "!<arch>\n"sv, "BC\xc0\xde"sv, "\xde\xc0\x17\x0b"sv, "\xfflprofi\x81"sv};
constexpr std::array kPrecompiledBegins = {"CPCH"sv, "gpch"sv};
constexpr std::size_t kLongestBegin = 8;

struct Begin {
  std::string bytes;
  std::uint64_t size = 0;
};

Begin begin_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  std::array<char, kLongestBegin> bytes = {};
  const ssize_t length = ::read(file.get(), bytes.data(), bytes.size());
  return {{bytes.data(), static_cast<std::size_t>(length < 0 ? 0 : length)},
          static_cast<std::uint64_t>(status.st_size)};
}

bool is_larger_than_text(const std::string& path) { return begin_of(path).size > kLargestText; }

SourceNames data() {
  SourceNames names;
  names.is_data = true;
  return names;
}

SourceNames unknown(const char* by) {
  SourceNames names;
  names.unknown_by = by;
  return names;
}

// Tables of the C library and of the system, and HIP's version, which compilers read and include nowhere.
bool is_table_of_system(std::string_view path) {
  constexpr std::array kBegins = {"/etc/"sv, "/proc/"sv, "/sys/"sv};
  constexpr std::array kWithin = {"/gconv/"sv, "/lib/locale/"sv, "/share/locale/"sv, "/share/hip/version"sv,
                                  "/bin/.hipVersion"sv};
  return !is_named_as_source(path) &&
         (holds_prefix_of(kBegins, path) ||
          std::any_of(kWithin.begin(), kWithin.end(), [&](auto one) { return path.find(one) != path.npos; }));
}

// The bytes with that digest.
std::optional<std::string> read_as(const std::string& path, const Digest& content) {
  Result<std::string> bytes = read_file(path, kLargestText);
  if (!bytes || digest_of(*bytes) != content) return std::nullopt;
  return std::move(*bytes);
}

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

std::optional<TokenDigests> token_digests(const std::string& path, const Digest& content, FileSystemMemo& memo,
                                          Effort& effort) {
  if (const auto known = memo.tokens.find(content)) return known;
  if (is_larger_than_text(path)) return TokenDigests{content, content, content};
  ++effort.opens;
  const std::optional<std::string> bytes = read_as(path, content);
  if (!bytes) return std::nullopt;
  effort.bytes_read += bytes->size();
  SourceText text = scan_source(*bytes, Wanted::digests);
  memo.tokens.insert(content, text.digests);
  if (text.tokens.size() <= kLongestSketch) {
    const auto sketch = std::make_shared<const Sketch>(Sketch{text.digests, std::move(text.tokens)});
    for (const Digest* digest : {&text.digests.in_place, &text.digests.in_order, &text.digests.tokens})
      memo.sketches.insert(digest->prefix(), sketch);
  }
  return text.digests;
}

std::optional<Digest> content_of(const std::string& path, FileSystemMemo& memo) {
  Effort unasked;
  const std::uint64_t now_ns = memo.clock();
  const PathStat seen = stat_path(path.c_str(), memo.mounts, unasked);
  const std::optional<FileDigest> file = seen.is_file() ? digest_file(path, seen, now_ns, memo, unasked) : std::nullopt;
  return file ? std::optional(file->digest) : std::nullopt;
}

const Digest& answer_to(Question question, const TokenDigests& digests) {
  if (question == Question::tokens_in_place) return digests.in_place;
  return question == Question::tokens_in_order ? digests.in_order : digests.tokens;
}

std::shared_ptr<const SourceNames> names_in_source(const std::string& path, const Digest& content,
                                                   FileSystemMemo& memo) {
  if (const auto known = memo.names_in_sources.find(content)) return *known;
  const auto remember = [&](SourceNames found) {
    auto names = std::make_shared<const SourceNames>(std::move(found));
    memo.names_in_sources.insert(content, names);
    return names;
  };
  const Begin begin = begin_of(path);
  if (holds_prefix_of(kDataBegins, begin.bytes) || is_table_of_system(path)) return remember(data());
  if (holds_prefix_of(kPrecompiledBegins, begin.bytes)) return remember(unknown("it is a precompiled header"));
  if (begin.size > kLargestText) return remember(unknown("it is very large"));
  const std::optional<std::string> bytes = read_as(path, content);
  if (!bytes) return nullptr;
  return remember(scan_source(*bytes, Wanted::names).names);
}

CommandMacros macros_of_command(const std::vector<std::string>& arguments) {
  std::string text;
  const char* unknown_by = "";
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
    else if (argument.starts_with("--define-macro=") || argument.starts_with("--define-macro") ||
             argument.starts_with("--undefine-macro") || argument.starts_with("-Wp,") || argument.starts_with('@') ||
             argument.starts_with("--config") || argument == "-Xpreprocessor")
      unknown_by = "options of the command may define macros";
  }
  SourceNames names = scan_source(text, Wanted::names).names;
  if (*unknown_by != '\0') names.unknown_by = unknown_by;
  return {std::move(text), std::make_shared<const SourceNames>(std::move(names))};
}

SourceUse::SourceUse(const std::vector<Observation>& observations, const RunContext& from,
                     const std::vector<std::string>& arguments, Command command, FileSystemMemo& memo)
    : memo_(memo), command_macros_(macros_of_command(arguments)), is_by_gcc_(inputs::is_by_gcc(observations)) {
  if (!command_macros_.names->is_known()) not_known("the command: " + command_macros_.names->unknown_by);
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (asks_about_content(observations[i].question)) add(i, observations[i], from);
  const bool knows_all_macros =
      command == Command::is_whole && unknown_by_.empty() && !reads_options_ && names_all_macros(arguments, from);
  reach_ = std::make_unique<Reach>(
      sources_, ReadSource{.path = "", .content = digest_of(command_macros_.text), .names = command_macros_.names},
      knows_all_macros,
      [this](const ReadSource& source, const NameSet& pasting) { return paste_facts_of(source, pasting); },
      [this](const Digest& key, const MakePasting& make) { return pasting_of(key, make); });
  for (const ReadSource& source : sources_) {
    leads_.push_back(reach_->of_live(source));
    if (!source.is_installed) of_project_ |= leads_.back();
    if (!declares_source_location(source.path) && (leads_.back() & kToCaller) != 0) asks_callers_ = true;
    note_unjudged(source, leads_.back());
  }
}

void SourceUse::not_known(std::string why) {
  if (unknown_by_.empty()) unknown_by_ = std::move(why);
}

// Text of a project gets to an assembler by what the project uses. Installed headers name symbols there.
void SourceUse::note_unjudged(const ReadSource& source, Leads leads) {
  constexpr Leads kAlways = kToUnjudged | kToPragma;
  const Leads strict = source.is_installed ? kAlways : kAlways | kToAssembly;
  if ((leads & strict) == 0 || !unjudged_.empty()) return;
  const Unjudged* first = reach_->first_unjudged(source);
  unjudged_ = source.path;
  if (first != nullptr) unjudged_ += ":" + std::to_string(first->line) + " has " + first->what;
  const std::string_view macro = reach_->example(*source.names, strict);
  if (first == nullptr)
    unjudged_ += macro.empty() ? " has asm with a text that macros make" : " uses " + std::string(macro);
}

std::shared_ptr<const PasteFacts> SourceUse::paste_facts_of(const ReadSource& source, const NameSet& pasting) const {
  if (source.path.empty()) return std::make_shared<const PasteFacts>(paste_facts(command_macros_.text, pasting));
  std::vector<Name64> names(pasting.begin(), pasting.end());
  std::sort(names.begin(), names.end());
  Hasher hasher("paste facts");
  hasher.field(source.content);
  for (const Name64 name : names) hasher.field(name);
  const Digest key = hasher.finish();
  if (const auto known = memo_.paste_facts.find(key)) return *known;
  const std::optional<std::string> bytes = read_as(source.path, source.content);
  if (!bytes) return nullptr;
  auto facts = std::make_shared<const PasteFacts>(paste_facts(*bytes, pasting));
  memo_.paste_facts.insert(key, facts);
  return facts;
}

std::shared_ptr<const Pasting> SourceUse::pasting_of(const Digest& key, const MakePasting& make) const {
  if (const auto known = memo_.pasting.find(key)) return *known;
  std::shared_ptr<const Pasting> made = make();
  if (made != nullptr) memo_.pasting.insert(key, made);
  return made;
}

bool SourceUse::may_begin_unnamed(const ReadFile& file) const {
  return (leads(file) & kToUnnamed) != 0 || reach_->has_macro_among(sources_[file.source].names->named_types);
}

void SourceUse::add(std::size_t index, const Observation& observation, const RunContext& from) {
  const std::string path = from.path_of(observation.name);
  const std::optional<Digest> content = content_of(path, memo_);
  if (!content) return;
  const std::string place = from.roots.local_path(observation.name);
  ReadFile file{.observation = index,
                .path = path,
                .content = *content,
                .is_own_of_toolchain = is_toolchains_own(place, from.roots),
                .root = from.roots.holding(place)};
  reads_options_ = reads_options_ || holds_options(path);
  const bool is_project = file.root != 0 && !file.is_own_of_toolchain;
  if (const auto names = names_in_source(path, *content, memo_)) {
    if (!names->is_data) {
      file.source = sources_.size();
      if (!names->is_known()) not_known(path + ": " + names->unknown_by);
      sources_.push_back({.path = path,
                          .content = *content,
                          .names = names,
                          .is_installed = !is_project && (is_installed(path) || file.is_own_of_toolchain),
                          .is_in_root = file.root != 0});
    }
  } else {
    not_known(path + " cannot be read");
  }
  files_.push_back(std::move(file));
}

}  // namespace hipcache::inputs
