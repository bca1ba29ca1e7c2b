#include "fuzz/oracle/model/reach.h"

#include <array>

#include "fuzz/oracle/model/sources.h"
#include "hipcache/base/files.h"

namespace hipcache::fuzz {
namespace {

bool names_header(const std::string& text, std::size_t number) {
  return text.find(header_name(number)) != std::string::npos;
}

}  // namespace

bool is_header(const std::string& name) {
  const std::string_view base = base_name(name);
  return base.size() == 4 && base.starts_with('h') && base.ends_with(".h");
}

std::size_t number_of(const std::string& header) { return static_cast<std::size_t>(base_name(header)[1] - '0'); }

Names headers_of(const Tree& tree) {
  Names names;
  for (const auto& [name, entry] : tree.snapshot())
    if (entry.kind != Entry::Kind::directory && is_header(name)) names.push_back(name);
  return names;
}

Names reached_from(const Tree& tree, const std::string& source) {
  const Snapshot files = tree.snapshot();
  Names reached{source};
  std::array<bool, kHeaders> seen{};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto file = files.find(reached[i]);
    if (file == files.end()) continue;
    for (std::size_t number = 0; number < kHeaders; ++number) {
      if (seen[number] || !names_header(file->second.text, number)) continue;
      seen[number] = true;
      for (const auto& [name, entry] : files)
        if (entry.kind == Entry::Kind::file && is_header(name) && number_of(name) == number) reached.push_back(name);
    }
  }
  return reached;
}

}  // namespace hipcache::fuzz
