#include "report/html_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "hipcache/base/readable.h"

namespace hipcache::report {
namespace {

// The JSON library replaces bytes that are not UTF-8; the quotes around the text go.
std::string as_utf8(const std::string& text) {
  const nlohmann::json valid =
      nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return valid.get<std::string>();
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : as_utf8(readable(text))) {
    switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

std::string bar_of(const std::vector<Share>& shares) {
  std::uint64_t all = 0;
  for (const Share& share : shares) all += share.amount;
  if (all == 0) return "";
  std::string parts;
  for (const Share& share : shares)
    if (share.amount > 0)
      parts += fmt::format(R"(<i class="{}" style="width:{:.2f}%"></i>)", share.name,
                           100.0 * static_cast<double>(share.amount) / static_cast<double>(all));
  return "<div class=\"bar\">" + parts + "</div>";
}

HtmlTable& HtmlTable::row(const std::string& slice) {
  rows_ += slice.empty() ? "<tr>" : fmt::format("<tr class=\"goes\" data-slice=\"{}\">", escaped(slice));
  column_ = 0;
  return *this;
}

void HtmlTable::cell(const std::string& attributes, const std::string& html) {
  const Column& column = columns_[column_++];
  const std::string names = column.is_number ? "number" : column.name;
  rows_ += "<td" + (names.empty() ? "" : " class=\"" + names + "\"") + attributes + ">" + html + "</td>";
  if (column_ == columns_.size()) rows_ += "</tr>\n";
}

HtmlTable& HtmlTable::text(std::string_view text) {
  cell("", escaped(text));
  return *this;
}

HtmlTable& HtmlTable::number(std::uint64_t value, const std::string& shown) {
  cell(fmt::format(" data-value=\"{}\"", value), escaped(shown));
  return *this;
}

HtmlTable& HtmlTable::markup(const std::string& html) {
  cell("", html);
  return *this;
}

std::string HtmlTable::under(std::string_view heading, std::string_view remark, const char* name) const {
  if (rows_.empty()) return "";
  std::string heads;
  for (const Column& column : columns_)
    heads += fmt::format("<th data-sort{}>{}</th>", column.is_number ? " class=\"number\"" : "", column.title);
  return fmt::format(
      "<section class=\"{}\">\n<h2>{} <small>{}</small></h2>\n<div "
      "class=\"scroll\"><table><thead><tr>{}</tr></thead>\n<tbody>\n{}"
      "</tbody></table></div>\n</section>\n",
      name, heading, escaped(remark), heads, rows_);
}

}  // namespace hipcache::report
