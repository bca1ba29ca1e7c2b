#include "daemon/opaque/name_tie.h"

#include <algorithm>
#include <array>

#include "daemon/record/relocatability.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

// Words after "NAME." that do not derive from an output's name: extensions of sources and headers, and suffixes of
// function clones.
constexpr auto kOthers = std::to_array<std::string_view>(
    {"c",   "cc",  "cp", "cpp", "cxx", "c++",  "C",         "h",    "hh",         "hp",       "hpp",
     "hxx", "h++", "H",  "inc", "inl", "ipp",  "tcc",       "tpp",  "txx",        "def",      "hip",
     "cu",  "cuh", "S",  "m",   "mm",  "cold", "constprop", "isra", "localalias", "lto_priv", "part"});

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+';
}

// The word at the start of the text.
std::string_view word_of(std::string_view text) {
  return text.substr(0,
                     static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_of_word) - text.begin()));
}

bool is_other(std::string_view rest) {
  return std::find(kOthers.begin(), kOthers.end(), word_of(rest)) != kOthers.end();
}

bool shows(std::string_view bytes, std::string_view beginning) {
  for (auto at = bytes.find(beginning); at != std::string_view::npos; at = bytes.find(beginning, at + 1)) {
    const bool within_word = at != 0 && is_of_word(bytes[at - 1]);
    if (!within_word && !is_other(bytes.substr(at + beginning.size()))) return true;
  }
  return false;
}

std::string beginning_of(std::string_view name) {
  const std::string_view last = base_name(name);
  return std::string(last.substr(0, last.rfind('.'))) + '.';
}

}  // namespace

NameTie::NameTie(const compiler::OutputNames& names) {
  for (const std::string* name : {&names.object, &names.depfile, &names.target})
    if (!name->empty()) beginnings_.push_back(beginning_of(*name));
}

bool NameTie::shows_in(std::string_view bytes) const {
  return may_hold_names_unseen(bytes) ||
         std::any_of(beginnings_.begin(), beginnings_.end(), [&](const std::string& one) { return shows(bytes, one); });
}

}  // namespace hipcache::daemon
