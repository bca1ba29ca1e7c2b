#include "cli/options/generate.h"

#include <string_view>

#include "cli/options/man_page.h"
#include "cli/options/options.h"

namespace hipcache::cli {
namespace {

constexpr std::string_view kFormats = "text json markdown html trace";
constexpr std::string_view kGenerated = "man bash zsh fish";

// Shells show one line of help.
std::string_view first_line(std::string_view help) { return help.substr(0, help.find('\n')); }

bool is_optional(const OptionText& option) { return option.value.starts_with('['); }
bool is_file(const OptionText& option) { return option.value == "FILE" || option.value == "[FILE]"; }

// What may follow an option: "" for a value that nobody can guess.
std::string_view choices(const OptionText& option) {
  if (option.name == "--format") return kFormats;
  return option.name == "--generate" ? kGenerated : "";
}

// Behind a compiler's name or "--" stands a command, which bash-completion knows how to complete.
constexpr std::string_view kBashHead = R"(_hipcache() {
  local word=${COMP_WORDS[COMP_CWORD]} at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; ++at)); do
    [[ ${COMP_WORDS[at]} == -- || $at -eq 1 && ${COMP_WORDS[at]} != -* ]] || continue
    [[ ${COMP_WORDS[at]} != -- ]] || ((++at))
    if [[ $at -eq $COMP_CWORD ]]; then
      COMPREPLY=($(compgen -c -- "$word"))
    elif declare -F _command_offset >/dev/null; then
      _command_offset "$at"
    fi
    return
  done
  case ${COMP_WORDS[COMP_CWORD - 1]} in
)";

constexpr std::string_view kBashTail =
    R"(    -*) [[ $word != -* ]] || COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *)
      COMPREPLY=($(compgen -c -- "$word"))
      [[ $word != -* ]] || COMPREPLY=($(compgen -W "$options" -- "$word"))
      ;;
  esac
}
complete -o default -F _hipcache hipcache
)";

std::string bash_completion() {
  std::string text(kBashHead);
  std::string names;
  for (const OptionText& option : option_texts()) {
    names += " " + std::string(option.name);
    const std::string_view words = choices(option);
    if (option.value.empty()) continue;
    text += "    " + std::string(option.name) + ") COMPREPLY=(";
    if (!words.empty()) text += "$(compgen -W '" + std::string(words) + "' -- \"$word\")";
    if (is_file(option)) text += "$(compgen -f -- \"$word\")";
    text += ") ;;\n";
  }
  const std::size_t first = text.find("  COMPREPLY=()\n");
  return text.insert(first, "  local options='" + names.substr(1) + "'\n").append(kBashTail);
}

// A word of zsh or fish.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// What follows an option's name in a word of _arguments.
std::string zsh_rest(const OptionText& option) {
  std::string rest = "[";
  for (const char c : first_line(option.help)) {
    if (c == '[' || c == ']' || c == ':') rest += '\\';
    rest += c;
  }
  rest += "]";
  if (option.value.empty()) return rest;
  const std::string_view words = choices(option);
  rest += (is_optional(option) ? "::" : ":") + std::string(option.value) + ":";
  if (!words.empty()) return rest + "(" + std::string(words) + ")";
  return rest + (is_file(option) ? "_files" : "");
}

std::string zsh_completion() {
  std::string text = "#compdef hipcache\n_arguments -S";
  for (const OptionText& option : option_texts()) {
    text += " \\\n  ";
    if (!option.brief.empty()) text += shell_word(std::string(option.brief) + zsh_rest(option)) + " ";
    text += shell_word(std::string(option.name) + zsh_rest(option));
  }
  return text + " \\\n  '(-)1:compiler:_command_names -e' '*::arguments:_normal'\n";
}

std::string fish_completion() {
  std::string text = "complete -c hipcache -n __fish_is_first_token -a '(__fish_complete_command)'\n";
  for (const OptionText& option : option_texts()) {
    text += "complete -c hipcache";
    if (!option.brief.empty()) text += " -s " + std::string(option.brief.substr(1));
    text += " -l " + std::string(option.name.substr(2));
    const std::string_view words = choices(option);
    if (!words.empty()) text += " -x -a '" + std::string(words) + "'";
    if (words.empty() && is_optional(option)) text += " -F";
    if (words.empty() && !option.value.empty() && !is_optional(option)) text += is_file(option) ? " -r -F" : " -x";
    text += " -d " + shell_word(first_line(option.help)) + "\n";
  }
  return text;
}

}  // namespace

Result<std::string> generate(const std::string& what) {
  if (what == "man") return man_page();
  if (what == "bash") return bash_completion();
  if (what == "zsh") return zsh_completion();
  if (what == "fish") return fish_completion();
  return Error{"--generate is man, bash, zsh or fish, not \"" + what + "\""};
}

}  // namespace hipcache::cli
