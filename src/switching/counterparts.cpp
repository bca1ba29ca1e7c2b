#include "switching/counterparts.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "hipcache/config/values.h"
#include "switching/tables.h"

namespace hipcache::switching {
namespace {

// Line breaks of the table are no part of the text.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    const bool is_blank = letter == '\n' || letter == ' ';
    if (!is_blank)
      line += letter;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::vector<std::string> listed(std::string_view text) { return config::parse_list(one_line(text)); }

}  // namespace

Counterparts::Counterparts(std::string_view tool) {
  const toml::parse_result parsed = toml::parse(tool == "ccache" ? kCcacheTable : kSccacheTable);
  if (parsed) version_ = parsed.table()["version"].value_or(std::string());
  const toml::array* sections = parsed ? parsed.table()["section"].as_array() : nullptr;
  if (sections == nullptr) return;
  for (const toml::node& section : *sections) {
    const toml::table& table = *section.as_table();
    const std::string kind = table["kind"].value_or(std::string());
    const toml::array* entries = table["entry"].as_array();
    if ((kind != "option" && kind != "setting" && kind != "remote") || entries == nullptr) continue;
    for (const toml::node& node : *entries) {
      const toml::table& entry = *node.as_table();
      Counterpart one{.names = listed(entry["name"].value_or(std::string_view())),
                      .ours = one_line(entry["ours"].value_or(std::string_view())),
                      .text = one_line(entry["text"].value_or(std::string_view()))};
      for (const std::string& name : one.names) by_name_.emplace(name, all_.size());
      all_.push_back(std::move(one));
    }
  }
}

const Counterpart* Counterparts::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &all_[found->second];
}

}  // namespace hipcache::switching
