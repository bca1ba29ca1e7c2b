#include "hipcache/inputs/mentions.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/roots.h"
#include "hipcache/base/text.h"
#include "hipcache/inputs/file_system_state.h"
#include "inputs/rules/text_marks.h"
#include "inputs/sources/source_use.h"
#include "inputs/state/file_system_memo.h"

namespace hipcache::inputs {

namespace {

// Programs and libraries that contain the path of a toolchain's directory.
//
// A program may have the place of its files built in. Such a program finds them there wherever the program itself lies.
// If that place were asked about relative to the toolchain, it would be another file in another toolchain. For a base
// directory the user vouches that this does not happen. Nobody vouches for a toolchain's directory.

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// A read-only mapping of a file; this object owns it.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status = {};
    if (!file || ::fstat(file.get(), &status) != 0 || status.st_size <= 0) return;
    size_ = static_cast<std::size_t>(status.st_size);
    void* const address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (address != MAP_FAILED) bytes_ = address;
  }
  ~MappedFile() {
    if (bytes_ != nullptr) ::munmap(bytes_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  bool is_there() const { return bytes_ != nullptr; }
  bool is_program() const { return size_ >= kElf.size() && memcmp(bytes_, kElf.data(), kElf.size()) == 0; }
  bool mentions(const std::string& name) const {
    return !name.empty() && memmem(bytes_, size_, name.data(), name.size()) != nullptr;
  }

 private:
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
};

bool names(const std::string& path, const Root& toolchain) {
  const MappedFile file(path);
  if (!file.is_there()) return true;
  return file.is_program() && (file.mentions(toolchain.path) || file.mentions(toolchain.alias));
}

// The mask of the toolchain's root if a program or library names that root, or the file cannot be read. Otherwise 0,
// also if no root is a toolchain's. Reads each content once.
RootMask named_by_program(const std::string& path, const Roots& roots, FileSystemState& file_system) {
  const Root* toolchain = roots.find(kToolchainMark);
  if (toolchain == nullptr) return 0;
  const RootMask mask = roots.mask_of(*toolchain);
  const Result<Digest> content = file_system.content(path);
  if (!content) return mask;
  const Digest key =
      Hasher("program").field(*content).field(toolchain->path).field(toolchain->alias).field(mask).finish();
  auto& known = file_system.memo().texts;
  if (const auto marks = known.find(key)) return marks->named;
  const RootMask named = names(path, *toolchain) ? mask : 0;
  const Result<Digest> still = file_system.content(path);
  if (still && *still == *content) known.insert(key, {.named = named});
  return named;
}

constexpr std::array<std::string_view, 2> kNoTexts = {
    "\x7f"
    "ELF",
    "!<arch>\n"};

constexpr std::size_t kLongestMagic = 8;

bool is_no_text(std::string_view begin) {
  return std::any_of(kNoTexts.begin(), kNoTexts.end(),
                     [&](std::string_view magic) { return begin.starts_with(magic); });
}

bool begins_as_no_text(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kLongestMagic> begin = {};
  const ssize_t length = file ? ::read(file.get(), begin.data(), begin.size()) : -1;
  return length > 0 && is_no_text({begin.data(), static_cast<std::size_t>(length)});
}

// The rest of a root's name behind a directory above it: a root's bit, and "one/".
using Rests = std::set<std::pair<RootMask, std::string>>;

void add_rest(std::string_view directory, const Roots& roots, Rests& rests) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  for (const Root& root : roots.all())
    for (const std::string* name : {&root.path, &root.alias})
      if (name->size() > directory.size() + 1 && name->starts_with(directory) && (*name)[directory.size()] == '/')
        rests.insert({roots.mask_of(root), name->substr(directory.size() + 1) + "/"});
}

// For the directories that the compiler may have searched: it looked at them, read a file in them, or ran there.
Rests rests_of_roots(const std::vector<Observation>& observations, const RunContext& from) {
  Rests rests;
  if (from.roots.empty()) return rests;
  add_rest(from.working_directory, from.roots, rests);
  add_rest(from.logical_directory(), from.roots, rests);
  for (const Observation& observation : observations) {
    if (!asks_about_path(observation.question)) continue;
    const std::string path = from.roots.local_path(observation.name);
    if (!path.starts_with('/')) continue;
    const std::string_view name = path;
    add_rest(asks_about_content(observation.question) ? name.substr(0, name.rfind('/')) : name, from.roots, rests);
  }
  return rests;
}

RootMask included_in(std::string_view bytes, const Rests& rests) {
  RootMask included = 0;
  for (const auto& [root, rest] : rests)
    for (const char quote : {'<', '"'})
      if (bytes.find(quote + rest) != bytes.npos) included |= root;
  return included;
}

TextMarks look_into(std::string_view bytes, const Roots& roots, const Rests& rests) {
  if (is_no_text(bytes)) return {};
  return {.shown = roots.shown_in(bytes), .named = roots.named_in_text(bytes), .included = included_in(bytes, rests)};
}

// The marks are stored under the digest of exactly the bytes that were read.
TextMarks marks_of(const ReadFile& file, const Roots& roots, const Rests& rests, FileSystemState& file_system) {
  const TextMarks all{.shown = roots.every(), .named = roots.every()};
  auto& known = file_system.memo().texts;
  const auto key_of = [&](const Digest& digest) {
    Hasher hasher("text");
    hasher.field(digest).field(roots.id());
    for (const auto& [root, rest] : rests) hasher.field(root).field(rest);
    return hasher.finish();
  };
  if (const auto marks = known.find(key_of(file.content))) return *marks;
  if (!file.is_text() && begins_as_no_text(file.path)) return {};
  const Result<std::string> bytes = read_file(file.path, kLargestText);
  if (!bytes) return all;
  const TextMarks marks = look_into(*bytes, roots, rests);
  known.insert(key_of(digest_of(*bytes)), marks);
  return marks;
}

RootMask build_directories(const Roots& roots) {
  RootMask found = 0;
  for (const char* mark : {kBuildMark, kOuterBuildMark})
    if (const Root* root = roots.find(mark)) found |= roots.mask_of(*root);
  return found;
}

// The line in which the word first stands, outside of directives and of comments that fill a line; 0: not found.
std::size_t line_of(std::string_view word, std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view begin = trimmed(line);
    const bool counts = !begin.starts_with('#') && !begin.starts_with('*') && !begin.starts_with("/");
    for (auto at = line.find(word); counts && at != line.npos; at = line.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_of_word(line[at - 1])) && (end == line.size() || !is_of_word(line[end]))) return number;
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return 0;
}

std::string where_of(const OwnName& own, std::string_view word) {
  const Result<std::string> text = word.empty() ? Result<std::string>("") : read_file(own.path, kLargestText);
  const std::size_t line = text ? line_of(word, *text) : 0;
  if (line == 0) return own.path;
  const bool is_own = word == "__FILE__";
  return own.path + ":" + std::to_string(line) + (is_own ? "" : " (by " + std::string(word) + ")");
}

// Keeps the first file for each root, of those with mapped names and of the others.
class OwnNames {
 public:
  // `word`: in the file, that leads to its name; "" if none is known.
  void add(OwnName own, std::string_view word) {
    RootMask& roots = own.is_mapped ? mapped_ : unmapped_;
    if ((roots & own.root) != 0) return;
    roots |= own.root;
    own.where = where_of(own, word);
    names_.push_back(std::move(own));
  }
  std::vector<OwnName> take_names() { return std::move(names_); }

 private:
  RootMask mapped_ = 0;
  RootMask unmapped_ = 0;
  std::vector<OwnName> names_;
};

// Whether the file may use a macro that nobody knows.
bool may_ask_unseen(const ReadFile& file, const SourceUse& use, RootMask builds) {
  return use.has_unknown_names() && (file.root & builds) != 0 && !use.sources()[file.source].names->live.empty();
}

// Why a file of a root ties the result to that root.
void add_own_names(const ReadFile& file, const SourceUse& use, RootMask builds, OwnNames& own_names) {
  if (file.root == 0 || !file.is_text()) return;
  const SourceNames& names = *use.sources()[file.source].names;
  if ((use.leads(file) & kToFileName) != 0)
    own_names.add({.root = file.root, .path = file.path, .where = {}}, use.reach().example(names, kToFileName));
  if (file.is_own_of_toolchain) return;
  const bool asks =
      (use.asks_callers() && !names.live.empty()) || !names.is_known() || may_ask_unseen(file, use, builds);
  if (asks) own_names.add({.root = file.root, .path = file.path, .where = {}}, "");
  const bool prints_types = !use.is_by_gcc() && (use.leads_of_project() & kToTypes) != 0;
  if (prints_types && (use.may_begin_unnamed(file) || !names.is_known()))
    own_names.add({.root = file.root, .path = file.path, .where = {}, .is_mapped = false}, "");
}

}  // namespace

Mentions mentions_in(const SourceUse& use, const std::vector<Observation>& observations, const RunContext& from,
                     FileSystemState& file_system) {
  Mentions mentions;
  OwnNames own_names;
  const RootMask builds = build_directories(from.roots);
  const Rests rests = rests_of_roots(observations, from);
  for (const ReadFile& file : use.files()) {
    const TextMarks marks = marks_of(file, from.roots, rests, file_system);
    const RootMask by_program = file.is_text() ? 0 : named_by_program(file.path, from.roots, file_system);
    mentions.shown |= marks.shown | marks.included | by_program;
    mentions.named |= marks.named | marks.included | by_program;
    add_own_names(file, use, builds, own_names);
  }
  mentions.own_names = own_names.take_names();
  return mentions;
}

Mentions mentions_in(const std::vector<Observation>& observations, const RunContext& from,
                     const std::vector<std::string>& arguments, FileSystemState& file_system) {
  return mentions_in(SourceUse(observations, from, arguments, SourceUse::Command::may_lack_options, file_system.memo()),
                     observations, from, file_system);
}

}  // namespace hipcache::inputs
