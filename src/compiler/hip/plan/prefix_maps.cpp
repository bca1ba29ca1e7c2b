#include "hipcache/compiler/hip/prefix_maps.h"

#include <algorithm>

#include "hipcache/base/files.h"

namespace hipcache::hip {
namespace {

constexpr std::string_view kMap = "prefix-map=";

struct Map {
  std::string_view old;
  std::string_view replacement;
  bool of_own_names = false;
};

std::string_view without_slashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Parses "-fmacro-prefix-map=OLD=NEW" and "-Wa,--debug-prefix-map=OLD=NEW"; one -Wa argument may hold several maps.
std::vector<Map> maps_in(std::string_view argument) {
  std::vector<Map> maps;
  for (auto at = argument.find(kMap); at != argument.npos; at = argument.find(kMap)) {
    const std::string_view option = argument.substr(0, at);
    argument.remove_prefix(at + kMap.size());
    const std::string_view both = argument.substr(0, argument.find(','));
    const auto equals = both.find('=');
    if (equals == both.npos) continue;
    maps.push_back(
        {both.substr(0, equals), both.substr(equals + 1), option.ends_with("-fmacro-") || option.ends_with("-ffile-")});
  }
  return maps;
}

// The value of "-fdebug-compilation-dir=/x", of its relatives, or of the word before, and "" for other arguments.
std::string compilation_directory(const std::vector<std::string>& argv, std::size_t index) {
  constexpr std::string_view kOption = "-compilation-dir";
  if (const auto at = argv[index].find(std::string(kOption) + "="); at != std::string::npos)
    return argv[index].substr(at + kOption.size() + 1);
  std::size_t before = index;
  if (before > 0) --before;
  if (before > 0 && argv[before] == "-Xclang") --before;
  return before < index && argv[before].ends_with(kOption) ? argv[index] : "";
}

}  // namespace

void PrefixMaps::add(const std::vector<std::string>& argv, const Roots& roots) {
  if (roots.empty()) return;
  std::size_t of_own_names = 0;
  RootMask mapped = 0;
  for (std::size_t index = 0; index < argv.size(); ++index) {
    add_compilation_directory(compilation_directory(argv, index), roots);
    for (const Map& map : maps_in(argv[index])) {
      add_rests(map.old, map.replacement, roots);
      if (!map.of_own_names) continue;
      ++of_own_names;
      for (const Root& root : roots.all())
        if (root.alias.empty() && root.path == without_slashes(map.old) && roots.shown_in(map.replacement) == 0)
          mapped |= roots.mask_of(root);
    }
  }
  if (of_own_names == 1) own_names_ |= mapped;
}

// Compilers compare prefixes by characters, so a map may end within a name: "/src=x" makes "x-b/a.h" of "/src-b/a.h".
// The rest alone ("-b") would be found in any text. It stands behind the last name of the replacement.
void PrefixMaps::add_rests(std::string_view old, std::string_view replacement, const Roots& roots) {
  const auto is_old = [&](const Root& root) { return root.alias.empty() && root.path == without_slashes(old); };
  const bool is_root = std::any_of(roots.all().begin(), roots.all().end(), is_old);
  const std::string_view last_name = replacement.substr(replacement.rfind('/') + 1);
  for (const Root& root : roots.all()) {
    for (const std::string* name : {&root.path, &root.alias}) {
      if (!name->starts_with(old) || name->size() == without_slashes(old).size()) continue;
      std::string rest = name->substr(old.size());
      const bool is_within_name = !old.ends_with('/') && !rest.starts_with('/');
      rest.erase(0, rest.find_first_not_of('/'));
      if (is_within_name) rest.insert(0, last_name);
      rests_.push_back({roots.mask_of(root), std::move(rest), is_root && root.alias.empty()});
    }
  }
}

void PrefixMaps::add_compilation_directory(const std::string& directory, const Roots& roots) {
  if (!directory.starts_with('/')) return;
  for (const Root& root : roots.all())
    for (const std::string* name : {&root.path, &root.alias})
      if (const std::string_view rest = left_beside(*name, directory); !rest.empty())
        beside_.push_back({roots.mask_of(root), std::string(rest) + "/", false});
}

RootMask PrefixMaps::left_in_debug_information(std::string_view bytes) const {
  RootMask shown = 0;
  for (const Rest& rest : beside_)
    if (bytes.find(rest.text) != bytes.npos) shown |= rest.root;
  return shown;
}

std::string_view left_beside(std::string_view path, std::string_view directory) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  if (is_within(directory, path)) return "";
  std::size_t shared = 0;
  for (std::size_t i = 1; i < path.size() && i <= directory.size(); ++i) {
    if (path[i] == '/' && (i == directory.size() || directory[i] == '/')) shared = i;
    if (i == directory.size() || path[i] != directory[i]) break;
  }
  return shared == 0 ? "" : path.substr(shared + 1);
}

bool maps_above(const std::string& directory, const std::vector<std::string>& argv) {
  return std::any_of(argv.begin(), argv.end(), [&](const std::string& argument) {
    const std::vector<Map> maps = maps_in(argument);
    return std::any_of(maps.begin(), maps.end(), [&](const Map& map) {
      return directory.starts_with(map.old) && directory != without_slashes(map.old);
    });
  });
}

RootMask PrefixMaps::rests_in(std::string_view bytes, bool is_place) const {
  RootMask shown = 0;
  for (const Rest& rest : rests_)
    if (rest.is_place == is_place && bytes.find(rest.text) != bytes.npos) shown |= rest.root;
  return shown;
}

RootMask PrefixMaps::left_in(std::string_view bytes) const { return rests_in(bytes, false); }
RootMask PrefixMaps::places_in(std::string_view bytes) const { return rests_in(bytes, true); }

RootMask PrefixMaps::places() const {
  RootMask places = 0;
  for (const Rest& rest : rests_)
    if (rest.is_place) places |= rest.root;
  return places;
}

}  // namespace hipcache::hip
