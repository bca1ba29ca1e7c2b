#include "cli/options/options.h"

#include <array>
#include <string>
#include <string_view>

#include "hipcache/base/text.h"
#include "hipcache/config/settings.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {

namespace {

// The man page hipcache(1), from the tables of options and settings.

constexpr std::string_view kHead =
    "hipcache \\- compile cache that knows HIP\n"
    ".SH SYNOPSIS\n"
    ".B hipcache\n.I COMPILER ARGUMENTS...\n.br\n"
    ".B hipcache\n.I OPTION\n.br\n"
    ".B hipcache \\-\\-doctor\n[\\fB\\-\\-\\fR \\fICOMPILER OPTIONS...\\fR]\n.br\n"
    ".B hipcache \\-\\-plan\n[\\fB\\-\\-format json\\fR] \\fB\\-\\-\\fR \\fICOMPILER ARGUMENTS...\\fR\n.br\n"
    ".B hipcache \\-\\-explain\n[\\fB\\-\\-format json\\fR] \\fB\\-\\-\\fR \\fICOMPILER ARGUMENTS...\\fR\n"
    ".SH DESCRIPTION\n"
    "In front of a compiler, hipcache serves from its cache what was compiled before, and caches the compile for each\n"
    "GPU architecture by itself. What it does not understand, the compiler does untouched.\n"
    ".PP\n"
    "Called by a compiler's name, through a link, it does so for the next compiler of that name in \\fBPATH\\fR. "
    "Called\n"
    "by the name \\fBccache\\fR or \\fBsccache\\fR, it takes that tool's place: its usual options, and a compiler\n"
    "after it. \\fBupdate\\-hipcache\\-symlinks\\fR(8) makes both kinds of links.\n"
    ".SH OPTIONS\n";

constexpr std::string_view kSettings =
    ".SH SETTINGS\n"
    "None is needed. A setting is a key of the configuration file, which is TOML, and a variable. The variable wins.\n"
    "Sizes are written 500M, 20G or 1.5GiB, durations 600s, 10m or 2h, booleans true or false. Lists are TOML lists "
    "in\n"
    "the file, and have commas in a variable. \\fBhipcache \\-\\-show\\-config\\fR shows the values and where they "
    "come\n"
    "from.\n";

constexpr std::string_view kEnvironment =
    ".SH ENVIRONMENT\n"
    ".TP\n.B HIPCACHE_DIR\nThe cache directory.\n"
    ".TP\n.B HIPCACHE_CONFIG\nThe configuration file; \\fI/dev/null\\fR: none.\n"
    ".TP\n.BR XDG_CACHE_HOME \", \" XDG_CONFIG_HOME\nWhere both are without these variables.\n"
    ".TP\n.BR NO_COLOR \", \" TERM\nIf NO_COLOR is set, or TERM is dumb, nothing is printed in colours.\n"
    ".PP\nAnd those of the settings.\n"
    ".SH FILES\n"
    ".TP\n.I ~/.config/hipcache/config.toml\nThe configuration file. It need not exist.\n"
    ".TP\n.I ~/.cache/hipcache\nThe cache directory. It belongs to the user alone.\n"
    ".TP\n.I ~/.cache/hipcache/UID\\-VIEW/daemon.log\n"
    "Warnings and errors of the daemon of this user and view of the file system. Its socket is there too.\n"
    ".TP\n.I ~/.cache/hipcache/UID\\-VIEW/events.jsonl\nThe event log, which \\fB\\-\\-report\\fR reads.\n"
    ".SH EXAMPLES\n"
    ".TP\nCompile for two architectures; the second time, nothing runs:\n"
    ".EX\nhipcache clang++ \\-x hip \\-\\-offload\\-arch=gfx906 \\-\\-offload\\-arch=gfx1030 \\-c a.hip \\-o a.o\n.EE\n"
    ".TP\nA project of CMake:\n"
    ".EX\ncmake \\-DCMAKE_CXX_COMPILER_LAUNCHER=hipcache \\-DCMAKE_HIP_COMPILER_LAUNCHER=hipcache ...\n.EE\n"
    ".TP\nWhat a build took from the cache; exit code 1 if less than 90 percent:\n"
    ".EX\nhipcache \\-\\-zero\\-stats; make; hipcache \\-\\-show\\-stats \\-\\-fail\\-under 90\n.EE\n"
    ".TP\nWhy a compile was a miss:\n"
    ".EX\nhipcache \\-\\-explain \\-\\- clang++ \\-x hip \\-\\-offload\\-arch=gfx906 \\-c a.hip \\-o a.o\n.EE\n"
    ".TP\nShare results with other machines:\n"
    ".EX\nHIPCACHE_REMOTE=redis://cache.example hipcache \\-\\-start\\-server\n.EE\n"
    ".TP\nTake the results to another machine:\n"
    ".EX\nhipcache \\-\\-export results; ssh other hipcache \\-\\-import \\- < results\n.EE\n"
    ".SH EXIT STATUS\n"
    "Of a compile: the compiler's; 127 if there is no such compiler, 126 if it cannot be run.\n"
    ".PP\nOf an option:\n"
    ".TP\n.B 0\nIt was done. With \\fB\\-\\-explain\\fR: the compile would be a hit.\n"
    ".TP\n.B 1\nIt failed, or the hit rate is below that of \\fB\\-\\-fail\\-under\\fR. One line says why.\n"
    ".TP\n.B 2\nIt was not understood. One line says why.\n"
    ".TP\n.B 3\nWith \\fB\\-\\-explain\\fR: the compile would be a miss or a partial hit.\n"
    ".TP\n.B 4\nWith \\fB\\-\\-explain\\fR: the compile would pass through.\n"
    ".SH SEE ALSO\n"
    ".BR update\\-hipcache\\-symlinks (8)\n";

// Text of a man page in which a dash is one that can be typed.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '-' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string options() {
  std::string text;
  for (const OptionText& option : option_texts()) {
    text += ".TP\n";
    if (!option.brief.empty()) text += "\\fB" + roff(option.brief) + "\\fR, ";
    text += "\\fB" + roff(option.name) + "\\fR";
    if (!option.value.empty()) text += " \\fI" + std::string(option.value) + "\\fR";
    text += "\n" + roff(option.help) + "\n";
  }
  return text;
}

// No setting's text begins with a dot or a quote, which would be a request of roff.
std::string settings() {
  std::string text(kSettings);
  for (const config::SettingText& setting : config::setting_texts()) {
    text += ".TP\n\\fB" + roff(setting.key) + "\\fR, \\fB" + roff(setting.variable) + "\\fR";
    if (!setting.standard.empty()) text += " (" + roff(setting.standard) + ")";
    text += "\n" + roff(setting.meaning) + (setting.is_of_daemon ? ". A running daemon keeps its value.\n" : ".\n");
  }
  return text;
}

std::string man_page() {
  std::string page = ".TH HIPCACHE 1 \"\" \"hipcache " + roff(protocol::build_id()) + "\"\n.SH NAME\n";
  return page.append(kHead).append(options()).append(settings()).append(kEnvironment);
}

constexpr std::array<std::string_view, 4> kGenerated{"man", "bash", "zsh", "fish"};

// Shells show one line of help.

bool is_optional(const OptionText& option) { return option.value.starts_with('['); }

bool is_file(const OptionText& option) { return option.value == "FILE" || option.value == "[FILE]"; }

// What may follow an option: "" for a value that nobody can guess.
std::string choices(const OptionText& option) {
  if (option.name == "--format") return listed(kFormats, " ", " ");
  return option.name == "--generate" ? listed(kGenerated, " ", " ") : "";
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
    const std::string words = choices(option);
    if (option.value.empty()) continue;
    text += "    " + std::string(option.name) + ") COMPREPLY=(";
    if (!words.empty()) text += "$(compgen -W '" + words + "' -- \"$word\")";
    if (is_file(option)) text += "$(compgen -f -- \"$word\")";
    text += ") ;;\n";
  }
  const std::size_t first = text.find("  COMPREPLY=()\n");
  return text.insert(first, "  local options='" + names.substr(1) + "'\n").append(kBashTail);
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
  const std::string words = choices(option);
  rest += (is_optional(option) ? "::" : ":") + std::string(option.value) + ":";
  if (!words.empty()) return rest + "(" + words + ")";
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
    const std::string words = choices(option);
    if (!words.empty()) text += " -x -a '" + words + "'";
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
  return Error{"--generate is " + listed(kGenerated, " or ") + ", not \"" + what + "\""};
}

}  // namespace hipcache::cli
