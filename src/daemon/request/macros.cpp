#include "daemon/request/macros.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "hipcache/compiler/source_sight.h"

namespace hipcache::daemon {
namespace {

using compiler::MacroArgument;

// The text behind "-D" up to the value or the parameters.
std::string_view name_in(std::string_view text) { return text.substr(2, text.find_first_of("=(") - 2); }

std::string_view value_in(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals == text.npos ? std::string_view() : text.substr(equals + 1);
}

// Reserved names may be the compiler's own, and another value of these changes more than the sources that have them.
bool is_users_name(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name == "defined") return false;
  if (name.size() > 1 && name[0] == '_' && (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0))
    return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return (std::isalnum(c) != 0 && c < 0x80) || c == '_'; });
}

bool is_plain(std::string_view text) {
  return text.find('(') == text.npos || text.find('=') < text.find('(') ? inputs::is_plain_value(value_in(text))
                                                                        : false;
}

}  // namespace

void find_macros(const compiler::Invocation& invocation, const std::string& source, inputs::RunContext& from,
                 inputs::FileSystemState& file_system) {
  if (source.empty() || invocation.links || invocation.making != compiler::Making::compile ||
      compiler::may_record_macros(invocation.expanded))
    return;
  from.leaves_out_macros = true;
  std::vector<std::string> names;
  const std::vector<MacroArgument> arguments = compiler::macro_arguments(invocation.expanded);
  for (const MacroArgument& argument : arguments) {
    from.macro_definitions.push_back(argument.text);
    names.emplace_back(name_in(argument.text));
  }
  // All definitions of a name stay or go together: their order counts.
  std::vector<std::string> kept;
  for (const MacroArgument& argument : arguments)
    if (!is_users_name(name_in(argument.text)) || !is_plain(argument.text)) kept.emplace_back(name_in(argument.text));
  for (std::string& name : file_system.words_among(source, names)) kept.push_back(std::move(name));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (std::find(kept.begin(), kept.end(), names[i]) == kept.end())
      from.macros.push_back({names[i], arguments[i].text});
}

std::vector<std::string> without_macros(const std::vector<std::string>& arguments, const inputs::RunContext& from) {
  if (from.macros.empty()) return arguments;
  const auto is_left_out = [&](std::string_view option, std::string_view rest) {
    return std::any_of(from.macros.begin(), from.macros.end(), [&](const inputs::Macro& macro) {
      return macro.text.size() == option.size() + rest.size() && macro.text.starts_with(option) &&
             macro.text.ends_with(rest);
    });
  };
  std::vector<std::string> left;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool is_apart = (word == "-D" || word == "-U") && i + 1 < arguments.size();
    if (is_apart && is_left_out(word, arguments[i + 1]))
      ++i;
    else if (!is_left_out(word, ""))
      left.push_back(word);
  }
  return left;
}

}  // namespace hipcache::daemon
