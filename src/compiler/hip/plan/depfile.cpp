#include "hipcache/compiler/hip/depfile.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

constexpr std::size_t kClangColumns = 75;
constexpr std::size_t kGccColumns = 72;

// A placeholder for the target that the command names.
constexpr std::string_view kTarget =
    "\x01"
    "target"
    "\x01";

// A rule of targets and dependencies, and the targets of the empty rules after it (-MP). Targets are kept as written
// (-MT and -MQ have quoted them); the other names are unquoted.
struct Depfile {
  std::vector<std::string> targets;
  std::vector<std::string> dependencies;
  std::vector<std::string> phony;
  bool phony_apart = false;  // an empty line precedes each of them: clang 15 and earlier
};

// Quotes the name for make as clang does, which leaves some special characters unquoted.
std::string quoted(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '#') out += '\\';
    if (name[i] == ' ') {
      out += '\\';
      for (std::size_t before = i; before > 0 && name[before - 1] == '\\'; --before) out += '\\';
    }
    if (name[i] == '$') out += '$';
    out += name[i];
  }
  return out;
}

void add_phony(const Depfile& depfile, std::string& out) {
  for (const std::string& target : depfile.phony) {
    if (depfile.phony_apart) out += '\n';
    out += quoted(target) + ":\n";
  }
}

// Breaks lines where clang does. A target starts a new line if it would exceed the limit, a dependency if it and a
// backslash would.
std::string written_by_clang(const Depfile& depfile) {
  std::string out;
  std::size_t columns = 0;
  for (const std::string& target : depfile.targets) {
    if (columns == 0) {
      columns = target.size();
    } else if (columns + target.size() + 2 > kClangColumns) {
      columns = target.size() + 2;
      out += " \\\n  ";
    } else {
      columns += target.size() + 1;
      out += ' ';
    }
    out += target;
  }
  out += ':';
  ++columns;
  for (const std::string& dependency : depfile.dependencies) {
    if (columns + dependency.size() + 3 > kClangColumns) {
      out += " \\\n ";
      columns = 2;
    }
    out += ' ' + quoted(dependency);
    columns += dependency.size() + 1;
  }
  out += '\n';
  add_phony(depfile, out);
  return out;
}

// gcc counts a name with its quoting, and starts a new line before a name that would exceed the limit.
class GccLines {
 public:
  void add(const std::string& name) {
    if (columns_ != 0) {
      if (columns_ + name.size() > kGccColumns) {
        text_ += " \\\n";
        columns_ = 0;
      }
      text_ += ' ';
      ++columns_;
    }
    text_ += name;
    columns_ += name.size();
  }
  void add_colon() {
    text_ += ':';
    ++columns_;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t columns_ = 0;
};

std::string written_by_gcc(const Depfile& depfile) {
  GccLines lines;
  for (const std::string& target : depfile.targets) lines.add(target);
  lines.add_colon();
  for (const std::string& dependency : depfile.dependencies) lines.add(quoted(dependency));
  std::string out = lines.take() + '\n';
  add_phony(depfile, out);
  return out;
}

std::string written(const Depfile& depfile, DepfileForm form) {
  return form == DepfileForm::gcc ? written_by_gcc(depfile) : written_by_clang(depfile);
}

// Takes one word of a rule from `text`, without its quoting if `unquote`.
std::string next_word(std::string_view& text, bool unquote) {
  std::string word;
  while (!text.empty() && text[0] != ' ' && text[0] != '\n') {
    const bool quotes = text.size() > 1 &&
                        ((text[0] == '\\' && (text[1] == ' ' || text[1] == '#')) || (text[0] == '$' && text[1] == '$'));
    if (quotes) {
      if (!unquote) word += text[0];
      text.remove_prefix(1);
    }
    word += text[0];
    text.remove_prefix(1);
  }
  return word;
}

// Blanks and continued lines.
void skip_blanks(std::string_view& text) {
  for (;;) {
    if (text.starts_with(' ')) {
      text.remove_prefix(1);
    } else if (text.starts_with("\\\n")) {
      text.remove_prefix(2);
    } else {
      return;
    }
  }
}

// Unusual quoting may be parsed wrongly: portable_depfile() finds out by writing the result again.
std::optional<Depfile> parsed(std::string_view text) {
  Depfile depfile;
  for (bool last = false; !last;) {
    skip_blanks(text);
    std::string target = next_word(text, false);
    last = target.ends_with(':') && (text.empty() || text[0] == ' ' || text[0] == '\n');
    if (last) target.pop_back();
    if (target.empty()) return std::nullopt;
    depfile.targets.push_back(std::move(target));
  }
  for (skip_blanks(text); !text.empty() && text[0] != '\n'; skip_blanks(text))
    depfile.dependencies.push_back(next_word(text, true));
  while (text.size() > 1) {
    text.remove_prefix(1);  // the end of the line before
    if (text.starts_with('\n')) {
      depfile.phony_apart = true;
      text.remove_prefix(1);
    }
    std::string target = next_word(text, true);
    if (!target.ends_with(':')) return std::nullopt;
    target.pop_back();
    depfile.phony.push_back(std::move(target));
  }
  return depfile;
}

template <typename Change>
void change_names(Depfile& depfile, const Change& change) {
  for (auto* names : {&depfile.targets, &depfile.dependencies, &depfile.phony})
    for (std::string& name : *names) name = change(name);
}

}  // namespace

std::optional<DepfileForm> portable_form(std::string_view role) {
  if (role == kPortableDepfile) return DepfileForm::clang;
  return role == kPortableGccDepfile ? std::optional(DepfileForm::gcc) : std::nullopt;
}

std::optional<std::string> portable_depfile(std::string_view depfile, const Roots& roots, DepfileForm form,
                                            const std::string& target) {
  std::optional<Depfile> names = parsed(depfile);
  if (!names || written(*names, form) != depfile || depfile.find(kTarget) != std::string_view::npos)
    return std::nullopt;
  change_names(*names, [&](const std::string& name) { return roots.portable_name(name); });
  if (!target.empty()) {
    if (names->targets != std::vector{roots.portable_name(target)}) return std::nullopt;
    names->targets = {std::string(kTarget)};
  }
  std::string portable = written(*names, form);
  if (roots.named_in_text(portable) != 0) return std::nullopt;
  return portable;
}

// clang lists the text's files first, then the source and what it includes.
std::optional<std::string> depfile_without_header(std::string_view depfile, std::string_view of_header,
                                                  const std::string& header, std::string_view source) {
  std::optional<Depfile> names = parsed(depfile);
  const std::optional<Depfile> text = parsed(of_header);
  if (!names || !text || text->dependencies.empty()) return std::nullopt;
  if (written_by_clang(*names) != depfile || written_by_clang(*text) != of_header) return std::nullopt;
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  std::vector<std::string> own;
  for (const std::string& name : names->dependencies)
    if (name != header && !has(text->dependencies, name) && !has(own, name)) own.push_back(name);
  while (source.starts_with("./")) source.remove_prefix(2);
  if (own.empty() || own.front() != source) return std::nullopt;
  names->dependencies = {own.front()};
  names->dependencies.insert(names->dependencies.end(), text->dependencies.begin() + 1, text->dependencies.end());
  names->dependencies.insert(names->dependencies.end(), own.begin() + 1, own.end());
  if (!names->phony.empty()) names->phony.assign(names->dependencies.begin() + 1, names->dependencies.end());
  return written_by_clang(*names);
}

std::optional<std::string> local_depfile(std::string_view portable, const Roots& roots, DepfileForm form,
                                         const std::string& target) {
  std::optional<Depfile> names = parsed(portable);
  if (!names) return std::nullopt;
  bool has_all = true;
  change_names(*names, [&](const std::string& name) {
    std::string local = name == kTarget ? target : roots.local_path(name);
    has_all = has_all && !local.empty();
    return local;
  });
  return has_all ? std::optional(written(*names, form)) : std::nullopt;
}

}  // namespace hipcache::hip
