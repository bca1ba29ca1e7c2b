#include "remote/s3/signature.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "remote/layout/sha256.h"

namespace hipcache::remote {
namespace {

constexpr const char* kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t kDay = 8;  // the letters of "20130524" in a date

std::string in_small_letters(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

// Without blanks around it, and with one for several within.
std::string with_single_blanks(std::string_view text) {
  std::string trimmed;
  for (const char letter : text) {
    if (letter == ' ' && (trimmed.empty() || trimmed.back() == ' ')) continue;
    trimmed += letter;
  }
  if (trimmed.ends_with(' ')) trimmed.pop_back();
  return trimmed;
}

// Sorted by name; the values of one name in their order.
std::map<std::string, std::string> canonical_headers(const Headers& headers) {
  std::map<std::string, std::string> canonical;
  for (const auto& [name, value] : headers) {
    const auto [known, is_new] = canonical.try_emplace(in_small_letters(name), with_single_blanks(value));
    if (!is_new) known->second += "," + with_single_blanks(value);
  }
  return canonical;
}

std::string names_of(const std::map<std::string, std::string>& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names.append(names.empty() ? "" : ";").append(name);
  return names;
}

std::string signing_key(const std::string& day, const SigningScope& scope, const AwsCredentials& credentials) {
  const std::string of_day = hmac_sha256("AWS4" + credentials.secret_key, day);
  return hmac_sha256(hmac_sha256(hmac_sha256(of_day, scope.region), scope.service), "aws4_request");
}

}  // namespace

std::string amz_date(SystemTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::string text(sizeof "20130524T000000Z", '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts));
  return text;
}

std::string authorization_of(const UnsignedRequest& request, const SigningScope& scope,
                             const AwsCredentials& credentials) {
  const std::map<std::string, std::string> headers = canonical_headers(request.headers);
  const std::string signed_headers = names_of(headers);
  std::string canonical = request.method + "\n" + request.path + "\n\n";
  for (const auto& [name, value] : headers) canonical.append(name).append(":").append(value).append("\n");
  canonical += "\n" + signed_headers + "\n" + request.payload;

  const std::string date = amz_date(scope.time);
  const std::string day = date.substr(0, kDay);
  const std::string place = day + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign = std::string(kAlgorithm) + "\n" + date + "\n" + place + "\n" + hex_of(sha256(canonical));
  return std::string(kAlgorithm) + " Credential=" + credentials.access_key + "/" + place +
         ", SignedHeaders=" + signed_headers +
         ", Signature=" + hex_of(hmac_sha256(signing_key(day, scope, credentials), to_sign));
}

}  // namespace hipcache::remote
