#include <algorithm>

#include "hipcache/config/values.h"
#include "switching/remote_caches.h"

namespace hipcache::switching {
namespace {

// The settings of one of sccache's tables, and the options of the URL that is made of them.
class Table {
 public:
  Table(const FoundSettings& found, std::string name) : found_(found), name_(std::move(name)) {}

  std::string get(const std::string& key) const {
    const auto setting = found_.find("cache." + name_ + "." + key);
    return setting == found_.end() ? "" : setting->second.value;
  }
  bool is_true(const std::string& key) const {
    const std::string value = get(key);
    return value == "true" || value == "1" || value == "on";
  }
  void add(const std::string& option, const std::string& value) {
    if (!value.empty()) query_ += (query_.empty() ? "?" : "&") + option + "=" + percent_encoded(value);
  }
  // What all tables have.
  std::string finished(const std::string& url) {
    std::string prefix = get("key_prefix");
    prefix.erase(0, prefix.find_first_not_of('/'));
    while (prefix.ends_with('/')) prefix.pop_back();
    add("prefix", prefix);
    if (get("rw_mode") == "READ_ONLY") add("mode", "ro");
    return url + query_;
  }

 private:
  const FoundSettings& found_;
  const std::string name_;
  std::string query_;
};

std::string s3(const FoundSettings& found) {
  Table table(found, "s3");
  if (table.get("bucket").empty()) return "";
  std::string endpoint = table.get("endpoint");
  if (!endpoint.empty() && endpoint.find("://") == std::string::npos)
    endpoint = (table.is_true("use_ssl") ? "https://" : "http://") + endpoint;
  table.add("endpoint", endpoint);
  // sccache's "auto" lets the server's own default count.
  if (table.get("region") != "auto") table.add("region", table.get("region"));
  if (table.is_true("enable_virtual_host_style")) table.add("addressing", "virtual");
  if (table.is_true("no_credentials")) table.add("credentials", "none");
  return table.finished("s3://" + table.get("bucket"));
}

// Who sets no mode only reads, there.
std::string gcs(const FoundSettings& found) {
  Table table(found, "gcs");
  if (table.get("bucket").empty()) return "";
  table.add("credentials_file", table.get("cred_path"));
  if (table.get("rw_mode").empty()) table.add("mode", "ro");
  return table.finished("gs://" + table.get("bucket"));
}

// A part of "AccountName=a;AccountKey=b"; empty if there is none.
std::string part_of(const std::string& connection_string, const std::string& name) {
  const std::string text = ";" + connection_string;
  const std::size_t start = text.find(";" + name + "=");
  if (start == std::string::npos) return "";
  const std::string rest = text.substr(start + name.size() + 2);
  return rest.substr(0, rest.find(';'));
}

// The connection string stays where hipcache reads it: in a variable or a file.
std::string azure(const FoundSettings& found) {
  Table table(found, "azure");
  std::string account = table.get("storage_account");
  if (account.empty()) account = part_of(table.get("connection_string"), "AccountName");
  if (account.empty() || table.get("container").empty()) return "";
  table.add("endpoint", table.get("endpoint"));
  return table.finished("azblob://" + account + "/" + table.get("container"));
}

// sccache: redis://, rediss://, tcp:// or unix://, or the host alone.
std::string redis(const FoundSettings& found) {
  Table table(found, "redis");
  std::string url = table.get("endpoint").empty() ? table.get("url") : table.get("endpoint");
  if (url.empty()) return "";
  if (url.starts_with("unix://") || url.starts_with("redis+unix://"))
    url = "redis+unix://" + url.substr(url.find("://") + 3);
  else if (url.starts_with("tcp://"))
    url = "redis://" + url.substr(6);
  else if (url.find("://") == std::string::npos)
    url = "redis://" + url;
  table.add("user", table.get("username"));
  table.add("password", table.get("password"));
  if (table.get("db") != "0") table.add("database", table.get("db"));
  return table.finished(url);
}

std::string webdav(const FoundSettings& found) {
  Table table(found, "webdav");
  std::string url = table.get("endpoint");
  if (url.empty()) return "";
  const std::string user = table.get("username");
  const std::size_t host = url.find("://") == std::string::npos ? 0 : url.find("://") + 3;
  if (!user.empty()) {
    const auto encoded = [](std::string_view text) {
      std::string safe;
      for (const char letter : percent_encoded(text))
        safe += letter == '/' ? "%2F" : letter == ':' ? "%3A" : std::string(1, letter);
      return safe;
    };
    url.insert(host, encoded(user) + ":" + encoded(table.get("password")) + "@");
  }
  table.add("token", table.get("token"));
  return table.finished(url);
}

}  // namespace

RemoteCaches of_sccache(const FoundSettings& found) {
  std::vector<std::pair<std::string, std::string>> urls{{"redis", redis(found)},
                                                        {"s3", s3(found)},
                                                        {"gcs", gcs(found)},
                                                        {"azure", azure(found)},
                                                        {"webdav", webdav(found)}};
  if (const auto chain = found.find("cache.multilevel.chain"); chain != found.end()) {
    const std::vector<std::string> order = config::parse_list(chain->second.value);
    const auto rank = [&](const auto& one) { return std::find(order.begin(), order.end(), one.first); };
    std::stable_sort(urls.begin(), urls.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  }
  RemoteCaches caches;
  for (const auto& [name, url] : urls)
    if (!url.empty()) caches.urls.push_back(url);
  return caches;
}

}  // namespace hipcache::switching
