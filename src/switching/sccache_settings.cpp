#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "hipcache/base/files.h"
#include "hipcache/config/values.h"
#include "switching/found_setting.h"

namespace hipcache::switching {
namespace {

constexpr std::uint64_t kFileLimit = 1u << 20;

// The names in the file of those variables that hipcache converts.
constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"SCCACHE_BASEDIRS", "basedirs"},
    {"SCCACHE_CACHE_SIZE", "cache.disk.size"},
    {"SCCACHE_LOCAL_RW_MODE", "cache.disk.rw_mode"},
    {"SCCACHE_MULTILEVEL_CHAIN", "cache.multilevel.chain"},
    {"SCCACHE_BUCKET", "cache.s3.bucket"},
    {"SCCACHE_ENDPOINT", "cache.s3.endpoint"},
    {"SCCACHE_S3_USE_SSL", "cache.s3.use_ssl"},
    {"SCCACHE_REGION", "cache.s3.region"},
    {"SCCACHE_S3_KEY_PREFIX", "cache.s3.key_prefix"},
    {"SCCACHE_S3_ENABLE_VIRTUAL_HOST_STYLE", "cache.s3.enable_virtual_host_style"},
    {"SCCACHE_S3_NO_CREDENTIALS", "cache.s3.no_credentials"},
    {"SCCACHE_S3_RW_MODE", "cache.s3.rw_mode"},
    {"SCCACHE_REDIS", "cache.redis.url"},
    {"SCCACHE_REDIS_ENDPOINT", "cache.redis.endpoint"},
    {"SCCACHE_REDIS_USERNAME", "cache.redis.username"},
    {"SCCACHE_REDIS_PASSWORD", "cache.redis.password"},
    {"SCCACHE_REDIS_DB", "cache.redis.db"},
    {"SCCACHE_REDIS_KEY_PREFIX", "cache.redis.key_prefix"},
    {"SCCACHE_REDIS_RW_MODE", "cache.redis.rw_mode"},
    {"SCCACHE_WEBDAV_ENDPOINT", "cache.webdav.endpoint"},
    {"SCCACHE_WEBDAV_KEY_PREFIX", "cache.webdav.key_prefix"},
    {"SCCACHE_WEBDAV_USERNAME", "cache.webdav.username"},
    {"SCCACHE_WEBDAV_PASSWORD", "cache.webdav.password"},
    {"SCCACHE_WEBDAV_TOKEN", "cache.webdav.token"},
    {"SCCACHE_WEBDAV_RW_MODE", "cache.webdav.rw_mode"},
    {"SCCACHE_GCS_BUCKET", "cache.gcs.bucket"},
    {"SCCACHE_GCS_KEY_PREFIX", "cache.gcs.key_prefix"},
    {"SCCACHE_GCS_KEY_PATH", "cache.gcs.cred_path"},
    {"SCCACHE_GCS_RW_MODE", "cache.gcs.rw_mode"},
    {"SCCACHE_AZURE_BLOB_CONTAINER", "cache.azure.container"},
    {"SCCACHE_AZURE_CONNECTION_STRING", "cache.azure.connection_string"},
    {"SCCACHE_AZURE_STORAGE_ACCOUNT", "cache.azure.storage_account"},
    {"SCCACHE_AZURE_ENDPOINT", "cache.azure.endpoint"},
    {"SCCACHE_AZURE_KEY_PREFIX", "cache.azure.key_prefix"},
    {"SCCACHE_AZURE_RW_MODE", "cache.azure.rw_mode"},
});

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  std::vector<std::string> items;
  if (const auto* array = node.as_array())
    for (const toml::node& item : *array) items.push_back(text_of(item));
  return config::format_list(items);
}

void flatten(const toml::table& table, const std::string& before, const std::string& path, FoundSettings& found) {
  for (const auto& [key, node] : table) {
    const std::string name = before + std::string(key.str());
    if (const toml::table* inner = node.as_table())
      flatten(*inner, name + ".", path, found);
    else
      found[name] = {text_of(node), path};
  }
}

std::string file_of(const config::Lookup& variable) {
  const auto set = [&](const char* name) { return variable(name).value_or(""); };
  if (std::string chosen = set("SCCACHE_CONF"); !chosen.empty()) return chosen;
  if (const std::string base = set("XDG_CONFIG_HOME"); !base.empty()) return base + "/sccache/config";
  return set("HOME") + "/.config/sccache/config";
}

}  // namespace

Result<FoundSettings> read_sccache(const config::Lookup& variable, const std::vector<std::string>& environment) {
  FoundSettings found;
  if (const std::string path = file_of(variable); std::filesystem::exists(path)) {
    const Result<std::string> bytes = read_file(path, kFileLimit);
    if (!bytes) return bytes.error();
    const toml::parse_result parsed = toml::parse(*bytes);
    if (!parsed)
      return Error{path + ": line " + std::to_string(parsed.error().source().begin.line) + ": this is no TOML"};
    flatten(parsed.table(), "", path, found);
  }
  for (const std::string& text : environment) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (!name.starts_with("SCCACHE_") || equals + 1 >= text.size() || name == "SCCACHE_CONF") continue;
    const auto* known = std::find_if(kNames.begin(), kNames.end(), [&](const auto& one) { return one.first == name; });
    found[known == kNames.end() ? name : std::string(known->second)] = {text.substr(equals + 1), name};
  }
  return found;
}

}  // namespace hipcache::switching
