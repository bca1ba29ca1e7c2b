#include "hipcache/stats/markdown_table.h"

#include <fmt/format.h>

namespace hipcache::stats {

std::string markdown_cell(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]()#+!|~";
  std::string safe;
  for (const char letter : text) {
    if (letter == '<') {
      safe += "&lt;";
    } else if (letter == '&') {
      safe += "&amp;";
    } else if (static_cast<unsigned char>(letter) < ' ') {
      safe += ' ';
    } else {
      if (kMarkup.find(letter) != std::string_view::npos) safe += '\\';
      safe += letter;
    }
  }
  return safe;
}

MarkdownTable::MarkdownTable(std::initializer_list<std::string_view> titles, std::size_t texts) : text_("|") {
  std::string rule = "|";
  std::size_t column = 0;
  for (const std::string_view title : titles) {
    text_ += fmt::format(" {} |", title);
    rule += column++ < texts ? "---|" : "---:|";
  }
  text_ += "\n" + rule + "\n";
}

void MarkdownTable::row(const std::vector<std::string>& values) {
  text_ += "|";
  for (const std::string& value : values) text_ += fmt::format(" {} |", markdown_cell(value));
  text_ += "\n";
  ++rows_;
}

std::string MarkdownTable::under(std::string_view heading) const {
  return rows_ == 0 ? "" : fmt::format("\n#### {}\n\n{}", heading, text_);
}

}  // namespace hipcache::stats
