#ifndef HIPCACHE_SRC_CLI_SHOW_JSON_TEXT_H
#define HIPCACHE_SRC_CLI_SHOW_JSON_TEXT_H

#include <nlohmann/json.hpp>
#include <string>

namespace hipcache::cli {

// Indented, with a final newline. Paths may not be UTF-8: invalid bytes are replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hipcache::cli

#endif
