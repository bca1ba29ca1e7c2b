#include "hipcache/base/base_directory.h"

#include <algorithm>
#include <filesystem>

namespace hipcache {
namespace {

constexpr std::string_view kToken =
    "\x01"
    "base"
    "\x01";

bool is_plain(char c) {
  return static_cast<unsigned char>(c) > ' ' && std::string_view("\x7f\"\\$:=,#").find(c) == std::string_view::npos;
}

}  // namespace

BaseDirectory::BaseDirectory(std::string_view directory) {
  if (!directory.starts_with('/') || !std::all_of(directory.begin(), directory.end(), is_plain)) return;
  path_ = std::filesystem::path(directory).lexically_normal().string();
  while (path_.ends_with('/')) path_.pop_back();
}

bool BaseDirectory::holds_token(std::string_view text) { return text.find(kToken) != std::string_view::npos; }

std::string BaseDirectory::portable_path(std::string_view path) const { return with_token(path, "", "/"); }

std::string BaseDirectory::portable_argument(std::string_view argument) const {
  return with_token(argument, "=", "/=");
}

std::string BaseDirectory::portable_list(std::string_view value) const { return with_token(value, ":", "/:"); }

std::string BaseDirectory::local_path(std::string_view portable) const {
  if (!portable.starts_with(kToken)) return std::string(portable);
  return is_set() ? path_ + std::string(portable.substr(kToken.size())) : std::string();
}

std::string BaseDirectory::local_text(std::string_view portable) const {
  std::string text(portable);
  const std::string here = is_set() ? path_ : "HIPCACHE_BASEDIR";
  for (std::size_t at = text.find(kToken); at != std::string::npos; at = text.find(kToken, at + here.size()))
    text.replace(at, kToken.size(), here);
  return text;
}

bool BaseDirectory::shows_in(std::string_view bytes) const {
  return is_set() && bytes.find(path_) != std::string_view::npos;
}

std::string BaseDirectory::with_token(std::string_view text, std::string_view before, std::string_view after) const {
  std::string result;
  if (!is_set()) return std::string(text);
  std::size_t taken = 0;
  for (std::size_t at = text.find(path_); at != std::string_view::npos; at = text.find(path_, at + 1)) {
    const std::size_t end = at + path_.size();
    const bool begins = at == 0 || before.find(text[at - 1]) != std::string_view::npos;
    const bool ends = end == text.size() || after.find(text[end]) != std::string_view::npos;
    if (!begins || !ends) continue;
    result.append(text.substr(taken, at - taken)).append(kToken);
    taken = end;
  }
  return result.append(text.substr(taken));
}

}  // namespace hipcache
