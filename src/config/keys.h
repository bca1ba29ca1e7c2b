// The table of keys: the name in the file, what it means, how a text becomes the setting, how the setting is
// shown. The variable of "max_size" is HIPCACHE_MAX_SIZE, and so on.
#ifndef HIPCACHE_SRC_CONFIG_KEYS_H
#define HIPCACHE_SRC_CONFIG_KEYS_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/config/settings.h"

namespace hipcache::config {

enum class ReadAt { request, daemon_start };

struct Key {
  std::string_view name;
  std::string_view meaning;  // for people
  // An error says what is wrong with the value; the caller puts the file or variable before it.
  Status (*set)(Settings& settings, const std::string& text);
  std::string (*show)(const Settings& settings);
  ReadAt read_at = ReadAt::request;
  // Of a setting that may hold a secret: what `show` does not show (hipcache/config/shown.h).
  std::string (*whole)(const Settings& settings) = nullptr;
};

const std::vector<Key>& keys();
const Key* find_key(std::string_view name);  // null if there is none of that name
std::string variable_of(std::string_view key);
std::string nearest_key(std::string_view name);  // of a misspelt name; "" if none is near
std::string known_keys();                        // "max_size, basedir, ..."

}  // namespace hipcache::config

#endif
