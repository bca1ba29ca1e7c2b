#include "hipcache/switching/import_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "hipcache/config/remote_url.h"
#include "hipcache/config/values.h"
#include "switching/counterparts.h"
#include "switching/found_setting.h"
#include "switching/remote_caches.h"

namespace hipcache::switching {
namespace {

// A value in hipcache's form; nothing if it is not understood.
using Convert = std::optional<std::string> (*)(const std::string& theirs);

struct Conversion {
  std::string_view theirs;
  std::string_view ours;  // the key of the file
  Convert convert;
};

std::optional<std::string> same(const std::string& value) { return value; }

std::optional<std::string> flag(const std::string& value) {
  const Result<bool> read = config::parse_boolean(value);
  if (!read) return std::nullopt;
  return *read ? "true" : "false";
}

// A number without a unit counts `unit`; letters mean what `binary` says of them, unless an i stands there.
std::optional<std::string> size(const std::string& value, std::string_view unit, bool binary) {
  std::string text = value;
  const std::size_t letters = text.find_first_of("kKmMgGtT");
  if (letters == std::string::npos)
    text += unit;
  else if (binary && text.find('i', letters) == std::string::npos)
    text.insert(letters + 1, "i");
  const Result<std::uint64_t> bytes = config::parse_size(text);
  if (!bytes) return std::nullopt;
  return config::format_size(*bytes);
}

std::optional<std::string> ccache_size(const std::string& value) { return size(value, "Gi", false); }
std::optional<std::string> sccache_size(const std::string& value) { return size(value, "", true); }

std::optional<std::string> readonly(const std::string& value) {
  if (value == "READ_ONLY") return "true";
  return value == "READ_WRITE" ? std::optional<std::string>("false") : std::nullopt;
}

std::optional<std::string> seconds(const std::string& value) {
  const Result<unsigned> read = config::parse_count(value);
  if (!read) return std::nullopt;
  return std::to_string(*read) + "s";
}

// Comma or colon between directories.
std::optional<std::string> directories(const std::string& value) {
  return config::format_path_list(config::parse_path_list(value));
}

constexpr auto kOfCcache = std::to_array<Conversion>({
    {"max_size", "max_size", ccache_size},
    {"base_dir", "basedir", same},
    {"disable", "disable", flag},
    {"read_only", "readonly", flag},
    {"read_only_direct", "readonly", flag},
    {"recache", "recache", flag},
    {"namespace", "namespace", same},
    {"umask", "umask", same},
    {"log_file", "log", same},
});

constexpr auto kOfSccache = std::to_array<Conversion>({
    {"cache.disk.size", "max_size", sccache_size},
    {"cache.disk.rw_mode", "readonly", readonly},
    {"basedirs", "basedir", directories},
    {"SCCACHE_IDLE_TIMEOUT", "idle_timeout", seconds},
    {"SCCACHE_RECACHE", "recache", flag},
    {"SCCACHE_NO_CACHE", "disable", flag},
    {"SCCACHE_C_CUSTOM_CACHE_BUSTER", "namespace", same},
    {"SCCACHE_ERROR_LOG", "log", same},
});

std::string toml_text(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    const auto value = static_cast<unsigned char>(letter);
    if (value < ' ' || value == 0x7f)
      result.append("\\u00").append({kDigits[value / 16], kDigits[value % 16]});
    else
      result += letter;
  }
  return result + "\"";
}

// In a comment, nothing may begin a line of its own.
std::string in_comment(std::string_view text) {
  std::string safe(text);
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return safe;
}

// hipcache's own parser decides. An error names no secret.
Status check(std::string_view key, const std::string& value) {
  std::string name = "HIPCACHE_" + std::string(key);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : static_cast<char>(c);
  });
  const Result<config::Settings> loaded = config::load(
      config::lookup_in({"HIPCACHE_DIR=/nonexistent", "HIPCACHE_CONFIG=/nonexistent/config.toml", name + "=" + value}));
  return loaded ? done() : Status(loaded.error());
}

class Import {
 public:
  Import(const std::string& tool, FoundSettings found) : tool_(tool), table_(tool), found_(std::move(found)) {}

  std::string text(const std::string& file) {
    for (const Conversion& conversion : conversions()) add(conversion);
    add_remote();
    for (const auto& [name, setting] : found_)
      if (!taken_.contains(name)) leave_out(name, setting.origin, why_not(name));
    std::string text = "# Settings of " + tool_ + " for hipcache. Its file is " + in_comment(file) + ".\n";
    if (found_.empty()) text += "# " + tool_ + " has no settings here.\n";
    text += settings_;
    if (!left_out_.empty()) text += "\n# Without a counterpart:\n" + left_out_;
    return text;
  }

 private:
  std::span<const Conversion> conversions() const {
    if (tool_ == "ccache") return kOfCcache;
    return kOfSccache;
  }

  std::string why_not(const std::string& name) const {
    const Counterpart* known = table_.find(name);
    return known == nullptr ? "hipcache does not know this setting of " + tool_ + "." : known->text;
  }

  void leave_out(const std::string& name, const std::string& origin, const std::string& why) {
    left_out_ += "# " + in_comment(name) + (origin.empty() ? "" : " (" + in_comment(origin) + ")") + ": " +
                 in_comment(why) + "\n";
  }

  void put(std::string_view key, const std::string& value, const std::string& name, const std::string& origin,
           const std::string& note) {
    if (Status good = check(key, value); !good)
      return leave_out(name, origin, "not taken over: " + good.error().message);
    if (!keys_.insert(std::string(key)).second) return leave_out(name, origin, "See " + std::string(key) + ".");
    settings_ += "\n# " + in_comment(name) + " (" + in_comment(origin) + "): " + in_comment(note) + "\n";
    settings_ += std::string(key) + " = " + toml_text(value) + "\n";
  }

  void add(const Conversion& conversion) {
    const std::string name(conversion.theirs);
    const auto found = found_.find(name);
    if (found == found_.end()) return;
    taken_.insert(name);
    const std::optional<std::string> value = conversion.convert(found->second.value);
    if (!value) return leave_out(name, found->second.origin, "its value is not understood. " + why_not(name));
    put(conversion.ours, *value, name, found->second.origin, why_not(name));
  }

  // The names of settings that became part of a URL are not left out.
  void add_remote() {
    const bool is_ccache = tool_ == "ccache";
    std::string first, origin;
    for (const auto& [name, setting] : found_) {
      const bool is_remote = is_ccache ? name == "remote_storage" || name == "secondary_storage" : is_of_url(name);
      if (!is_remote) continue;
      taken_.insert(name);
      if (first.empty()) first = name, origin = setting.origin;
    }
    if (first.empty()) return;
    const RemoteCaches caches = is_ccache ? of_ccache(found_.at(first).value) : of_sccache(found_);
    std::vector<std::string> good;
    for (const std::string& url : caches.urls) {
      if (Status checked = check("remote", url); checked)
        good.push_back(url);
      else
        leave_out(first, origin, "not taken over: " + checked.error().message);
    }
    if (!good.empty()) put("remote", config::format_list(good), first, origin, note_on(good));
    for (const std::string& property : caches.left_out) {
      const Counterpart* known = table_.find(property);
      if (known == nullptr) known = table_.find("@" + property);
      leave_out(std::string(first).append(": ").append(property), origin,
                known == nullptr ? "hipcache's URLs have no such option." : known->text);
    }
  }

  static std::string note_on(const std::vector<std::string>& urls) {
    const bool any_secret = std::any_of(urls.begin(), urls.end(),
                                        [](const std::string& url) { return config::without_secrets(url) != url; });
    return std::string("One URL for each server, in the order in which they are asked.") +
           (any_secret ? " This line holds a secret: let nobody else read the file." : "");
  }

  static bool is_of_url(const std::string& name) {
    constexpr auto kOther = std::to_array<std::string_view>(
        {"cache.redis.cluster_endpoints", "cache.redis.expiration", "cache.redis.ttl", "cache.gcs.service_account",
         "cache.gcs.credential_url", "cache.azure.connection_string"});
    if (std::find(kOther.begin(), kOther.end(), name) != kOther.end()) return false;
    if (name.find("server_side_encryption") != std::string::npos) return false;
    constexpr auto kTables =
        std::to_array<std::string_view>({"cache.s3.", "cache.redis.", "cache.webdav.", "cache.gcs.", "cache.azure."});
    return name == "cache.multilevel.chain" ||
           std::any_of(kTables.begin(), kTables.end(), [&](std::string_view table) { return name.starts_with(table); });
  }

  const std::string tool_;
  const Counterparts table_;
  const FoundSettings found_;
  std::set<std::string> taken_;  // names that were converted, or left out with a reason of their own
  std::set<std::string> keys_;   // ours that are set
  std::string settings_, left_out_;
};

}  // namespace

Result<std::string> import_config(const std::string& tool, const config::Lookup& variable,
                                  const std::vector<std::string>& environment) {
  if (tool != "ccache" && tool != "sccache") return Error{"--import-config is ccache or sccache, not " + tool};
  Result<FoundSettings> found =
      tool == "ccache" ? read_ccache(variable, environment) : read_sccache(variable, environment);
  if (!found) return found.error();
  const Result<config::Settings> own = config::locate(variable);
  return Import(tool, std::move(*found)).text(own ? own->file : "the one that --show-config names");
}

}  // namespace hipcache::switching
