#include "daemon/opaque/archive_members.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace hipcache::daemon {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr std::size_t kHeader = 60;

// A header field without its padding blanks.
std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view text = header.substr(at, size);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

bool is_zero(std::string_view text) { return text.empty() || text == "0"; }

// The symbol index and the table of names; a thin archive holds their contents, too.
bool is_of_the_archive(std::string_view name) { return name == "/" || name == "//" || name == "/SYM64/"; }

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool holds_times(std::string_view archive) {
  const bool is_thin = archive.starts_with(kThinMagic);
  if (!is_thin && !archive.starts_with(kMagic)) return true;
  for (std::size_t at = kMagic.size(); at < archive.size();) {
    const std::string_view header = archive.substr(at, kHeader);
    if (header.size() < kHeader || !header.ends_with("`\n")) return true;
    const auto size = number(field(header, 48, 10));
    if (!is_zero(field(header, 16, 12)) || !is_zero(field(header, 28, 6)) || !is_zero(field(header, 34, 6)))
      return true;
    const bool has_content = !is_thin || is_of_the_archive(field(header, 0, 16));
    if (!size || (has_content && *size > archive.size() - at - kHeader)) return true;
    at += kHeader + (has_content ? *size + *size % 2 : 0);
  }
  return false;
}

}  // namespace hipcache::daemon
