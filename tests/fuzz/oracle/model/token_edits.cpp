#include "fuzz/oracle/model/token_edits.h"

#include <algorithm>
#include <array>
#include <vector>

#include "fuzz/oracle/model/reach.h"
#include "fuzz/oracle/model/tree_edits.h"
#include "integration/support/program.h"
#include "support/scratch.h"

namespace hipcache::fuzz {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool is_directive(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string::npos && line[first] == '#';
}

bool is_comment(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos || line.compare(first, 2, "//") == 0;
}

std::string random_comment(Random& random) {
  static const std::array<const char*, 9> kTexts{"// words ",
                                                 "/* words */ // ",
                                                 "// fall through ",
                                                 "/* a /* b */ // ",
                                                 "/* several\n   lines\n */ // ",
                                                 "// \\param ",
                                                 "//",
                                                 "// joined \\\n// ",
                                                 "// \xc3\xa9 "};
  return random.pick(kTexts) + random.number();
}

// Replaces every occurrence.
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string formatted(Random& random, const std::string& text) {
  static const std::array<const char*, 4> kBases{"LLVM", "Google", "GNU", "Mozilla"};
  const std::string style = std::string("{BasedOnStyle: ") + random.pick(kBases) +
                            ", ColumnLimit: " + std::to_string(30 + random.below(90)) + ", SortIncludes: false}";
  const support::Scratch scratch;
  const std::string path = scratch.write("text.h", text);
  const integration::Ended ended = integration::run({"clang-format-19", "--style=" + style, path}, scratch.path());
  return ended.exit_code == 0 ? ended.out : text;
}

std::string with_other_blanks(Random& random, const std::string& text) {
  static const std::vector<std::pair<std::string, std::string>> kOthers{{" = ", "="},    {"=", " = "},  {", ", ","},
                                                                        {",", " ,  "},   {"(", "( "},   {" * ", "*"},
                                                                        {";\n", " ;\n"}, {"    ", "\t"}};
  const auto& [what, by] = kOthers[random.below(kOthers.size())];
  Lines lines = lines_of(text);
  for (std::string& line : lines)
    if (!is_directive(line) || random.chance(30)) line = replaced(line, what, by);
  return text_of(lines);
}

std::string with_broken_lines(Random& random, const std::string& text) {
  Lines lines = lines_of(text);
  for (std::string& line : lines) {
    if (is_directive(line) || is_comment(line) || !random.chance(40)) continue;
    line = random.chance(50) ? replaced(line, ", ", ",\n      ") : replaced(line, " = ", "\n    = ");
  }
  return text_of(lines);
}

std::string without_comments(const std::string& text) {
  Lines lines = lines_of(text);
  std::erase_if(lines, is_comment);
  return text_of(lines);
}

std::string with_comment(Random& random, const std::string& text) {
  Lines lines = lines_of(text);
  const std::size_t at = random.below(lines.size() + 1);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), random_comment(random));
  return text_of(lines);
}

std::string with_comment_behind(Random& random, const std::string& text) {
  Lines lines = lines_of(text);
  if (lines.empty()) return text;
  std::string& line = lines[random.below(lines.size())];
  if (!line.ends_with('\\')) line += "  // words " + random.number();
  return text_of(lines);
}

std::string reindented(Random& random, const std::string& text) {
  Lines lines = lines_of(text);
  for (std::string& line : lines)
    if (random.chance(30) && !line.empty()) line.insert(0, random.below(5), ' ');
  return text_of(lines);
}

}  // namespace

std::string edit_tokens(Random& random, const Tree& tree, const std::string& source) {
  const std::string name = random.pick(reached_from(tree, source));
  const std::string text = tree.text(name);
  const auto write = [&](const std::string& what, const std::string& other) {
    tree.write(name, other, random_writing(random));
    return what + " in " + name;
  };
  switch (random.below(10)) {
    case 0:
    case 1:
      return write("a comment more", with_comment(random, text));
    case 2:
      return write("a comment behind a line", with_comment_behind(random, text));
    case 3:
      return write("other blanks", with_other_blanks(random, text));
    case 4:
      return write("broken lines", with_broken_lines(random, text));
    case 5:
      return write("no comments", without_comments(text));
    case 6:
      return write("other indentation", reindented(random, text));
    case 7:
      return write("a macro more", text + "#define UNUSED" + random.number() + " a  + b\n");
    case 8: {
      const std::string number = random.number();
      return write("a renamed macro", replaced(text, "HC_VALUE", "HC_VALUE" + number));
    }
    default:
      return write("another format", formatted(random, text));
  }
}

}  // namespace hipcache::fuzz
