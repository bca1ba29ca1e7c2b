#include "hipcache/compiler/hip/neutral_names.h"
#include "hipcache/compiler/option_facts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

using compiler::Invocation;
using compiler::kDirectory;

constexpr std::string_view kSource = "hipcache-source";
constexpr std::string_view kNeutralObject = "hipcache-object";
constexpr std::string_view kNeutralDepfile = "hipcache-depfile";
constexpr std::string_view kTarget = "hipcache-target";
constexpr auto kNeutral = std::to_array<std::string_view>({kSource, kNeutralObject, kNeutralDepfile, kTarget});

bool is_plain(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kLetters) == std::string_view::npos &&
         std::none_of(kNeutral.begin(), kNeutral.end(),
                      [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// The last ending of the file's name with its dot; empty if the name has none, or nothing before it.
std::string_view ending_of(std::string_view path) {
  const std::string_view name = base_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 || dot + 1 == name.size() ? "" : name.substr(dot);
}

std::string with_ending(const std::string& path, std::string_view ending) {
  return path.substr(0, path.size() - ending_of(path).size()).append(ending);
}

// The driver may make a relative name absolute, so a neutral name is relative where the user's is.
std::string placed_like(const std::string& own, std::string_view neutral, std::string_view ending) {
  std::string name = own.front() == '/' ? std::string(kDirectory) + "/" : "";
  return name.append(neutral).append(ending);
}

// The place of the value of `option`, given once and as a word of its own. 0: the option is not given. Nothing if it
// is given twice, or without a value.
std::optional<std::size_t> place_after(const std::vector<std::string>& argv, std::string_view option) {
  std::size_t place = 0;
  for (std::size_t at = 1; at < argv.size(); ++at) {
    if (argv[at] != option) continue;
    if (place != 0 || at + 1 == argv.size()) return std::nullopt;
    place = ++at;
  }
  return place;
}

// The place of the only word that is the source, or nothing.
std::optional<std::size_t> place_of_source(const Invocation& invocation) {
  const std::vector<std::string>& argv = invocation.argv;
  if (std::count(argv.begin() + 1, argv.end(), invocation.source) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::find(argv.begin() + 1, argv.end(), invocation.source) - argv.begin());
}

// With more than 64 KiB of arguments, the driver writes a job's into a response file: then the length of a name counts.
constexpr std::size_t kArgumentsLimit = 24u << 10;

bool is_short(const std::vector<std::string>& argv) {
  std::size_t length = 0;
  for (const std::string& argument : argv) length += argument.size() + 1;
  return length <= kArgumentsLimit;
}

bool names_files(const std::vector<std::string>& argv) {
  return std::any_of(argv.begin(), argv.end(), [](std::string_view argument) {
    return compiler::option_has(argument, compiler::facts::derives_files);
  });
}

bool may_be_neutral(const Invocation& invocation) {
  return is_short(invocation.argv) && !names_files(invocation.argv) && !invocation.driver.links &&
         !invocation.driver.then_links && !invocation.driver.by_script && !invocation.driver.user_cuid &&
         !invocation.writes_command && !invocation.driver.names_outputs && !invocation.argv.empty() &&
         invocation.argv == invocation.expanded && is_plain(invocation.source) &&
         !ending_of(invocation.source).empty() && is_plain(invocation.object) && !ending_of(invocation.object).empty();
}

// The edits "s", "x" and "X" replace or remove arguments by their text. The others add some.
bool match_arguments(std::string_view edits) {
  for (std::size_t at = 0; at < edits.size(); ++at)
    if ((at == 0 || edits[at - 1] == ' ') && std::string_view("sxX").find(edits[at]) != std::string_view::npos)
      return true;
  return false;
}

// The bundler's option for its output. Its name changed with clang 16.
constexpr auto kBeforeNames = std::to_array<std::string_view>({"", "-output=", "-outputs="});

void replace_words(std::string& text, const std::string& from, const std::string& to) {
  for (const std::string_view before : kBeforeNames) {
    const std::string start = '"' + std::string(before);
    const std::string word = start + from + '"';
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + start.size() + to.size()))
      text.replace(at + start.size(), from.size(), to);
  }
}

// Whether each name of a file that the driver derived from the source's is that of a temporary file.
bool names_only_temporaries(std::string_view text, const std::string& directory) {
  for (std::size_t at = text.find(kSource); at != std::string_view::npos;
       at = text.find(kSource, at + kSource.size())) {
    const std::size_t before = text.find_last_of("\",=", at);
    if (before == std::string_view::npos || !text.substr(before + 1).starts_with(directory + "/")) return false;
  }
  return true;
}

}  // namespace

const std::string& NeutralNames::cuid() {
  static const std::string id = "8c5dd1a6e04f7b93";  // as long as an id of hipcache's
  return id;
}

std::optional<NeutralNames> NeutralNames::of(const Invocation& invocation, const std::string& cuid,
                                             std::string_view edits) {
  if (cuid.empty() || !may_be_neutral(invocation) || match_arguments(edits)) return std::nullopt;
  const std::vector<std::string>& argv = invocation.argv;
  const std::optional<std::size_t> source = place_of_source(invocation);
  const std::optional<std::size_t> object = place_after(argv, "-o");
  const std::optional<std::size_t> depfile = place_after(argv, "-MF");
  const std::optional<std::size_t> target = place_after(argv, "-MT");
  const std::optional<std::size_t> quoted = place_after(argv, "-MQ");
  if (!source || !object || !depfile || !target || !quoted) return std::nullopt;
  if (argv[*object] != invocation.object || (*target != 0 && *quoted != 0)) return std::nullopt;

  NeutralNames result;
  result.argv_ = argv;
  result.own_cuid_ = cuid;
  result.source_file_ = std::string(kSource).append(ending_of(invocation.source));
  const auto replace = [&](std::size_t place, std::string neutral) {
    result.argv_[place] = neutral;
    result.names_.push_back({std::move(neutral), argv[place]});
  };
  replace(*source, std::string(kDirectory) + "/" + result.source_file_);
  result.names_.push_back({result.source_file_, std::string(base_name(invocation.source))});
  replace(*object, placed_like(invocation.object, kNeutralObject, ending_of(invocation.object)));
  // Without -c the driver says so to the front ends (-dumpdir), which name nothing after it.
  result.names_.push_back({result.argv_[*object] + "-", argv[*object] + "-"});
  // Without -MF the driver names the depfile after the object.
  result.names_.push_back({placed_like(invocation.object, kNeutralObject, ".d"), with_ending(invocation.object, ".d")});
  if (*depfile != 0 && is_plain(argv[*depfile])) replace(*depfile, placed_like(argv[*depfile], kNeutralDepfile, ".d"));
  if (const std::size_t place = *target + *quoted; place != 0 && is_plain(argv[place]))
    replace(place, std::string(kTarget));
  return result;
}

std::optional<std::string> NeutralNames::own_names(std::string printed, const std::string& directory) const {
  printed = replace_all(std::move(printed), cuid(), own_cuid_);
  for (const Name& name : names_) replace_words(printed, replace_all(name.neutral, kDirectory, directory), name.own);
  const std::string_view text = printed;
  for (const std::string_view neutral : {kNeutralObject, kNeutralDepfile, kTarget})
    if (text.find(neutral) != std::string_view::npos) return std::nullopt;
  if (!names_only_temporaries(text, directory)) return std::nullopt;
  return printed;
}

}  // namespace hipcache::hip
