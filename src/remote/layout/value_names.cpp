#include "remote/layout/value_names.h"

namespace hipcache::remote {
namespace {

constexpr std::string_view kLayout = "v1/";
constexpr std::string_view kTables{"wrb"};

}  // namespace

std::string name_of_value(const ValueName& name) {
  const std::string hex = name.key.hex();
  return std::string(kLayout) + name.table + "/" + hex.substr(0, 2) + "/" + hex;
}

std::optional<ValueName> parse_value_name(std::string_view text) {
  const std::size_t table = kLayout.size();
  const std::size_t hex = table + 5;  // "w/ab/"
  if (text.size() <= hex || kTables.find(text[table]) == std::string_view::npos) return std::nullopt;
  const Result<Digest> key = Digest::from_hex(text.substr(hex));
  if (!key) return std::nullopt;
  const ValueName name{text[table], *key};
  return name_of_value(name) == text ? std::optional(name) : std::nullopt;
}

}  // namespace hipcache::remote
