// What the man page says of each setting of the file. docs/configuration.md says more.
#ifndef HIPCACHE_CONFIG_SETTING_TEXTS_H
#define HIPCACHE_CONFIG_SETTING_TEXTS_H

#include <string>
#include <string_view>
#include <vector>

namespace hipcache::config {

struct SettingText {
  std::string_view key;
  std::string variable;
  std::string standard;  // the value without a setting; empty: none
  std::string_view meaning;
  bool is_of_daemon = false;  // a running daemon keeps the value with which it started
};

// In the order in which --show-config lists them.
std::vector<SettingText> setting_texts();

}  // namespace hipcache::config

#endif
