#include "hipcache/base/roots.h"

#include <algorithm>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache {
namespace {

constexpr char kQuote = '\x01';  // on both sides of a mark
constexpr std::string_view kEscaped = "\x01\x01";
constexpr std::string_view kByPath = "path";

bool is_plain(char c) {
  return static_cast<unsigned char>(c) > ' ' && std::string_view("\x7f\"\\$:=,#").find(c) == std::string_view::npos;
}

// "" if the directory cannot be a root.
std::string normal(std::string_view directory) {
  if (!directory.starts_with('/') || !std::all_of(directory.begin(), directory.end(), is_plain)) return "";
  const std::string path = normal_path(directory);
  return path == "/" ? "" : path;
}

std::string token_of(const Root& root) { return kQuote + root.mark + kQuote; }
std::string token_of_alias(const Root& root) { return kQuote + root.mark + "@" + kQuote; }

bool begins_with(std::string_view text, std::string_view name, std::string_view after) {
  return text.starts_with(name) &&
         (text.size() == name.size() || after.find(text[name.size()]) != std::string_view::npos);
}

bool mentions(std::string_view bytes, const std::string& name) {
  return !name.empty() && bytes.find(name) != std::string_view::npos;
}

// Only characters that every reader takes as part of a file name, and that begin no escape
// sequence.
bool continues_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
         c == '+' || c == '-';
}

// Stands in messages for a root that this request lacks.
std::string placeholder(std::string_view mark) {
  if (mark.starts_with(kToolchainMark)) return "<toolchain directory>";
  if (mark.starts_with(kUnpackedMark)) return "<unpacked archive>";
  return mark.starts_with(kBaseMark) ? "HIPCACHE_BASEDIR" : "<build directory>";
}

// By which names the arguments call the root. If they use both, it matters which argument uses
// which, so they are hashed.
std::string form_in(const std::vector<std::string>& arguments, const Root& root) {
  bool by_path = false, by_alias = false;
  Hasher hasher("forms");
  for (const std::string& argument : arguments) {
    const bool has_path = mentions(argument, root.path), has_alias = mentions(argument, root.alias);
    by_path = by_path || has_path;
    by_alias = by_alias || has_alias;
    if (has_path || has_alias) hasher.field(argument);
  }
  if (by_path && by_alias) return hasher.finish().hex();
  if (by_alias) return "alias";
  return by_path ? "path" : "none";
}

}  // namespace

std::string_view Root::called() const {
  return form.empty() || form == "path path" || form == "none path" ? kByPath : std::string_view(form);
}

bool mentions_directory(std::string_view text, std::string_view directory) {
  if (directory.empty() || directory == "/") return false;
  for (std::size_t at = text.find(directory); at != text.npos; at = text.find(directory, at + 1))
    if (at + directory.size() == text.size() || !continues_name(text[at + directory.size()])) return true;
  return false;
}

Roots::Roots(std::string_view base) { add(kBaseMark, base); }

void Roots::add(std::string_view mark, std::string_view path, std::string_view alias) {
  const std::string real = normal(path);
  const auto has_path = [&](const Root& root) { return root.path == real; };
  if (real.empty() || roots_.size() == kMost || std::any_of(roots_.begin(), roots_.end(), has_path)) return;
  const std::string other = normal(alias);
  Root root{.mark = std::string(mark), .path = real, .alias = other == real ? "" : other, .form = ""};
  names_.push_back({real, roots_.size(), false});
  if (!root.alias.empty()) names_.push_back({root.alias, roots_.size(), true});
  std::stable_sort(names_.begin(), names_.end(),
                   [](const Name& a, const Name& b) { return a.text.size() > b.text.size(); });
  id_ += root.mark + '\0' + root.path + '\0' + root.alias + '\0';
  roots_.push_back(std::move(root));
}

void Roots::note_forms(const std::vector<std::string>& arguments, std::string_view logical_directory) {
  for (Root& root : roots_)
    if (!root.alias.empty())
      root.form = form_in(arguments, root) + (mentions(logical_directory, root.alias) ? " alias" : " path");
}

const Root* Roots::find(std::string_view mark) const {
  const auto at = std::find_if(roots_.begin(), roots_.end(), [&](const Root& root) { return root.mark == mark; });
  return at == roots_.end() ? nullptr : &*at;
}

std::string_view Roots::mark_in_front(std::string_view text) {
  if (!text.starts_with(kQuote)) return "";
  const std::size_t end = text.find(kQuote, 1);
  const std::string_view mark = end == std::string_view::npos ? "" : text.substr(1, end - 1);
  const bool is_known = mark.starts_with(kBaseMark) || mark.starts_with(kBuildMark) ||
                        mark.starts_with(kToolchainMark) || mark.starts_with(kUnpackedMark);
  return is_known ? mark : "";
}

std::string Roots::name_of(std::string_view mark) {
  if (mark == kOuterBuildMark) return "topmost build directory";
  if (mark == kBuildMark) return "build directory";
  if (mark == kToolchainMark) return "toolchain directory";
  if (mark.starts_with(kUnpackedMark)) return "directory of an unpacked archive";
  if (mark.ends_with('@')) return name_of(mark.substr(0, mark.size() - 1)) + " by another name";
  const std::string_view number = mark.substr(std::min(mark.size(), std::string_view(kBaseMark).size()));
  return "base directory" + (number.empty() ? "" : " " + std::string(number));
}

std::string Roots::portable_path(std::string_view path) const {
  const Name* name = name_at(path, "/");
  return name == nullptr ? std::string(path) : token_of(roots_[name->root]).append(path.substr(name->text.size()));
}

std::string Roots::portable_name(std::string_view name) const {
  const Name* root = name_at(name, "/");
  if (root == nullptr) return std::string(name);
  const Root& named = roots_[root->root];
  if (root->is_alias && named.called() == kByPath) return std::string(name);  // a root that has none is called alike
  return (root->is_alias ? token_of_alias(named) : token_of(named)).append(name.substr(root->text.size()));
}

std::string Roots::escaped(std::string text) { return replace_all(std::move(text), {&kQuote, 1}, kEscaped); }

RootMask Roots::tokens_in(std::string_view text) const {
  RootMask found = 0;
  for (const Root& root : roots_)
    if (mentions(text, token_of(root)) || mentions(text, token_of_alias(root))) found |= mask_of(root);
  return found;
}

std::string Roots::portable_argument(std::string_view argument) const {
  return with_tokens(argument, "=", "/=", Aliases::as_the_root);
}

std::string Roots::portable_list(std::string_view value) const { return with_tokens(value, ":", "/:", Aliases::apart); }

std::string Roots::local_path(std::string_view portable) const {
  const std::string_view mark = mark_in_front(portable);
  if (mark.empty()) return std::string(portable);
  const Root* root = find(mark.substr(0, mark.find('@')));
  if (root == nullptr) return "";
  const std::string& name = mark.ends_with('@') ? root->alias : root->path;
  return name.empty() ? "" : name + std::string(portable.substr(mark.size() + 2));
}

std::string Roots::real_spelling(std::string_view path) const {
  const Name* name = name_at(path, "/");
  return name == nullptr || !name->is_alias ? std::string(path)
                                            : roots_[name->root].path + std::string(path.substr(name->text.size()));
}

std::string Roots::local_text(std::string_view portable) const {
  std::string text;
  while (!portable.empty()) {
    const std::size_t at = std::min(portable.find(kQuote), portable.size());
    text += portable.substr(0, at);
    portable.remove_prefix(at);
    if (portable.empty()) break;
    const std::string_view mark = mark_in_front(portable);
    const Root* root = find(mark.substr(0, mark.find('@')));
    if (root != nullptr)
      text += mark.ends_with('@') ? root->alias : root->path;
    else
      text += mark.empty() ? std::string(1, kQuote) : placeholder(mark);
    portable.remove_prefix(!mark.empty() ? mark.size() + 2 : portable.starts_with(kEscaped) ? kEscaped.size() : 1);
  }
  return text;
}

RootMask Roots::holding(std::string_view path) const {
  const Name* name = name_at(path, "/");
  return name == nullptr ? 0 : RootMask{1} << name->root;
}

const Root* Roots::around(std::string_view path) const {
  const Name* name = name_at(path, "/");
  return name == nullptr ? nullptr : &roots_[name->root];
}

RootMask Roots::shown_in(std::string_view bytes) const {
  return whose_name([&](const std::string& name) { return bytes.find(name) != bytes.npos; });
}

RootMask Roots::shown_in_any(const std::vector<std::string>& arguments) const {
  RootMask shown = 0;
  for (const std::string& argument : arguments) shown |= shown_in(argument);
  return shown;
}

RootMask Roots::named_in_text(std::string_view text) const {
  const RootMask shown = shown_in(text);
  if (shown == 0 || text.find('\0') != text.npos) return shown;
  return whose_name([&](const std::string& name) { return mentions_directory(text, name); });
}

std::string Roots::with_marks(std::string text) const {
  for (const Name& name : names_) {
    for (auto at = text.find(name.text); at != std::string::npos; at = text.find(name.text, at + 1)) {
      const std::string_view rest = std::string_view(text).substr(at + name.text.size());
      if (rest.empty() || std::string_view("/=:,;").find(rest[0]) != rest.npos)
        text.replace(at, name.text.size(), "<" + roots_[name.root].mark + ">");
    }
  }
  return text;
}

std::vector<const Root*> Roots::among(RootMask roots) const {
  std::vector<const Root*> found;
  for (std::size_t i = 0; i < roots_.size(); ++i)
    if ((roots & RootMask{1} << i) != 0) found.push_back(&roots_[i]);
  return found;
}

// The longest name at the start of the text that ends the text or is followed by a character of
// `after`.
const Roots::Name* Roots::name_at(std::string_view text, std::string_view after) const {
  if (!text.starts_with('/')) return nullptr;
  const auto at =
      std::find_if(names_.begin(), names_.end(), [&](const Name& name) { return begins_with(text, name.text, after); });
  return at == names_.end() ? nullptr : &*at;
}

std::string Roots::with_tokens(std::string_view text, std::string_view before, std::string_view after,
                               Aliases aliases) const {
  std::string result;
  if (names_.empty()) return std::string(text);
  std::size_t taken = 0;
  for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', std::max(at + 1, taken))) {
    const bool begins = at == 0 || before.find(text[at - 1]) != std::string_view::npos;
    const Name* name = begins ? name_at(text.substr(at), after) : nullptr;
    if (name == nullptr) continue;
    const bool is_apart = name->is_alias && aliases == Aliases::apart;
    result.append(text.substr(taken, at - taken));
    result.append(is_apart ? token_of_alias(roots_[name->root]) : token_of(roots_[name->root]));
    taken = at + name->text.size();
  }
  return result.append(text.substr(taken));
}

}  // namespace hipcache
