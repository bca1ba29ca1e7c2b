#include "remote/objects/credential_server.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::remote {

namespace {

constexpr std::size_t kLongestCode = 64;

bool is_letter_or_digit(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
}

// "invalid_grant", or AWS's "InvalidIdentityToken": what may be shown.
std::string code_in(const std::string& body) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
  constexpr std::size_t kLongest = 64;
  const nlohmann::json answer = nlohmann::json::parse(body, nullptr, false);
  const std::string code = answer.is_object() ? text_of(answer, "error") : "";
  if (code.size() > kLongest || code.find_first_not_of(kLetters) != std::string::npos) return "";
  return code.empty() ? error_code_of(body) : code;
}

}  // namespace

std::string xml_text(std::string_view document, std::string_view name) {
  const std::string opening = "<" + std::string(name) + ">";
  const auto start = document.find(opening);
  if (start == std::string_view::npos) return "";
  document.remove_prefix(start + opening.size());
  const auto end = document.find('<');
  if (end == std::string_view::npos || !document.substr(end).starts_with("</" + std::string(name) + ">")) return "";
  const std::string_view text = document.substr(0, end);
  const bool is_plain =
      std::all_of(text.begin(), text.end(), [](char one) { return one > ' ' && one < '\x7f' && one != '&'; });
  return is_plain ? std::string(text) : "";
}

std::string shown_code(const std::string& text) {
  const bool is_code = text.size() <= kLongestCode && std::all_of(text.begin(), text.end(), is_letter_or_digit);
  return is_code ? text : "";
}

std::string error_code_of(std::string_view document) { return shown_code(xml_text(document, "Code")); }

Result<std::string> body_from(HttpClient& client, const HttpRequest& request, const Limits& limits,
                              const std::string& whom) {
  auto sent = client.send(request, limits);
  if (const auto* failure = std::get_if<Failure>(&sent)) return Error{whom + ": " + failure->message};
  auto& response = std::get<HttpResponse>(sent);
  if (response.status == 200) return std::move(response.body);
  const std::string code = code_in(response.body);
  return Error{whom + ": HTTP status " + std::to_string(response.status) + (code.empty() ? "" : " (" + code + ")")};
}

Result<nlohmann::json> json_from(HttpClient& client, const HttpRequest& request, const Limits& limits,
                                 const std::string& whom) {
  const Result<std::string> body = body_from(client, request, limits, whom);
  if (!body) return body.error();
  nlohmann::json answer = nlohmann::json::parse(*body, nullptr, false);
  if (!answer.is_object()) return Error{whom + ": an answer that is no JSON object"};
  return answer;
}

std::string text_of(const nlohmann::json& object, const std::string& key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_string() ? value->get<std::string>() : "";
}

Result<BearerToken> token_from(HttpClient& client, const HttpRequest& request, const Limits& limits,
                               const std::string& whom, SystemTime now) {
  const Result<nlohmann::json> answer = json_from(client, request, limits, whom);
  if (!answer) return answer.error();
  BearerToken token{.text = text_of(*answer, "access_token"), .expires = {}};
  if (token.text.empty() || !is_printable(token.text)) return Error{whom + ": an answer without a token"};
  // Azure's instances write the number as a text.
  const auto seconds = answer->find("expires_in");
  if (seconds == answer->end()) return token;
  const std::string text = seconds->is_string() ? seconds->get<std::string>() : seconds->dump();
  unsigned left = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), left).ec == std::errc())
    token.expires = now + std::chrono::seconds(left);
  return token;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter > ' ' && letter < '\x7f'; });
}

Result<std::string> token_in_file(const std::string& path, const std::string& setting) {
  const Result<std::string> read = read_file(path, kTokenLimit, config::file_of(setting));
  if (!read) return read.error();
  return read->substr(0, read->find_first_of("\r\n"));
}

std::optional<SystemTime> parse_utc_time(const std::string& text) {
  std::tm parts{};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

}  // namespace hipcache::remote
