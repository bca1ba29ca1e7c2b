#include "remote/azure/shared_key.h"

#include <array>
#include <ctime>

#include "remote/layout/sha256.h"

namespace hipcache::remote {

std::string http_date(SystemTime time) {
  constexpr auto kDays = std::to_array<const char*>({"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"});
  constexpr auto kMonths =
      std::to_array<const char*>({"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> rest{};
  std::strftime(rest.data(), rest.size(), " %Y %H:%M:%S GMT", &parts);
  const std::string day = (parts.tm_mday < 10 ? "0" : "") + std::to_string(parts.tm_mday);
  return std::string(kDays.at(static_cast<std::size_t>(parts.tm_wday))) + ", " + day + " " +
         kMonths.at(static_cast<std::size_t>(parts.tm_mon)) + rest.data();
}

std::string shared_key_authorization(const AzureRequest& request, const std::string& account, const std::string& key) {
  const auto header = [&](const char* name) {
    const auto known = request.headers.find(name);
    return (known == request.headers.end() ? "" : known->second) + "\n";
  };
  std::string text = request.method + "\n";
  for (const char* name : {"content-encoding", "content-language"}) text += header(name);
  text += (request.body_size == 0 ? "" : std::to_string(request.body_size)) + "\n";
  for (const char* name : {"content-md5", "content-type", "date", "if-modified-since", "if-match", "if-none-match",
                           "if-unmodified-since", "range"})
    text += header(name);
  for (const auto& [name, value] : request.headers)
    if (name.starts_with("x-ms-")) text.append(name).append(":").append(value).append("\n");
  text += "/" + account + request.path;
  return "SharedKey " + account + ":" + base64_of(hmac_sha256(key, text));
}

}  // namespace hipcache::remote
