#include "cli/show/show_config.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/show/json_text.h"

namespace hipcache::cli {
namespace {

std::string to_text(const std::vector<config::Described>& settings) {
  std::string text;
  for (const config::Described& setting : settings)
    text += setting.key + " = " + setting.value + "  (" + setting.origin + ")\n";
  return text;
}

std::string to_json(const std::vector<config::Described>& settings) {
  nlohmann::ordered_json json;
  for (const config::Described& setting : settings)
    json[setting.key] = {{"value", setting.value}, {"origin", setting.origin}};
  return json_text(json);
}

}  // namespace

Result<std::string> show_config(const config::Lookup& variable, bool json) {
  const Result<std::vector<config::Described>> settings = config::describe(variable);
  if (!settings) return settings.error();
  return json ? to_json(*settings) : to_text(*settings);
}

}  // namespace hipcache::cli
