// Pieces of HTML around texts of any content.
#ifndef HIPCACHE_SRC_REPORT_HTML_TABLE_H
#define HIPCACHE_SRC_REPORT_HTML_TABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::report {

// As text between tags or in an attribute in double quotes: no byte of it is markup. Control characters are shown as
// "\n" and "\x1b". Bytes that are not UTF-8 are replaced.
std::string escaped(std::string_view text);

// <div class="bar"> with a part for each share, by its class. Empty if all are zero.
struct Share {
  const char* name;
  std::uint64_t amount;
};
std::string bar_of(const std::vector<Share>& shares);

// A table whose columns sort when their titles are clicked.
class HtmlTable {
 public:
  struct Column {
    const char* title;
    bool is_number = false;
    const char* name = "";  // class of its cells
  };
  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Begins a row. `slice`: what a click on it shows in the timeline, or "".
  HtmlTable& row(const std::string& slice = "");
  HtmlTable& text(std::string_view text);
  HtmlTable& number(std::uint64_t value) { return number(value, std::to_string(value)); }
  HtmlTable& number(std::uint64_t value, const std::string& shown);  // sorts by the value
  HtmlTable& markup(const std::string& html);                        // made of the pieces above

  // A section with its heading; empty without rows. `remark`: text beside the heading; `name`: its class.
  std::string under(std::string_view heading, std::string_view remark = "", const char* name = "") const;

 private:
  void cell(const std::string& attributes, const std::string& html);

  std::vector<Column> columns_;
  std::size_t column_ = 0;
  std::string rows_;
};

}  // namespace hipcache::report

#endif
