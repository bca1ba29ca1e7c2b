// A table of Markdown whose cells hold any text: names of files, messages of servers.
#ifndef HIPCACHE_STATS_MARKDOWN_TABLE_H
#define HIPCACHE_STATS_MARKDOWN_TABLE_H

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::stats {

class MarkdownTable {
 public:
  // The first `texts` columns are text, the others are numbers.
  explicit MarkdownTable(std::initializer_list<std::string_view> titles, std::size_t texts = 1);

  void row(const std::vector<std::string>& values);

  // With its heading; empty without rows.
  std::string under(std::string_view heading) const;

 private:
  std::string text_;
  std::size_t rows_ = 0;
};

// As plain text within a table: nothing ends the cell or the line, or is read as markup.
std::string markdown_cell(std::string_view text);

}  // namespace hipcache::stats

#endif
