// How texts for people are written: numbers with their units, and tables of Markdown.
#ifndef HIPCACHE_STATS_UNITS_H
#define HIPCACHE_STATS_UNITS_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::stats {

// A table of Markdown whose cells hold any text: names of files, messages of servers.
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

// " 45.0 %", padded to one width; "" if there is no whole.
std::string percent(std::uint64_t part, std::uint64_t whole);

// "512 B", "3.0 MB": in thousands, as HIPCACHE_MAX_SIZE is written.
std::string size(std::uint64_t bytes);

// "1.2 s", "2 min 3 s", "1 h 2 min".
std::string duration(std::uint64_t microseconds);

// "1.5 ms".
std::string milliseconds(std::uint64_t microseconds);

// As duration(), with milliseconds below a second: "37 ms", "0.4 ms".
std::string short_duration(std::uint64_t microseconds);

// The time in the zone of this machine; "the beginning" for 0.
std::string date(std::uint64_t seconds);

}  // namespace hipcache::stats

#endif
