#include "compiler/command_line/archiver.h"

#include <algorithm>

#include "compiler/command_line/compiler_name.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

bool is_ranlib(std::string_view path) { return program_name(path) == "ranlib"; }

bool asks_the_program(const std::string& argument) {
  return argument == "--version" || argument == "--help" || argument == "-V" || argument == "-h" || argument == "-H" ||
         argument == "-v" || argument == "-version" || argument == "-help";
}

Uncacheable other_operation(const std::string& argument) { return {reason::kArchiveOperation, argument}; }

// Accepts these letters of ar: add (q, r), write the index (s, S), be silent or not (c, v), leave
// out times (D), store names only (T), compare full names (P), truncate names (f).
std::optional<Uncacheable> letters_refusal(std::string_view letters) {
  for (const char letter : letters) {
    if (letter == 'U' || letter == 'u' || letter == 'o')
      return Uncacheable{reason::kArchiveTimes, std::string(letters)};
    if (std::string_view("qrscvSDTPf").find(letter) == std::string_view::npos)
      return other_operation(std::string(letters));
  }
  return std::nullopt;
}

bool names_operation(std::string_view letters) { return letters.find_first_of("qrs") != std::string_view::npos; }

std::variant<std::string, Uncacheable> archive_of_ar(const std::vector<std::string>& arguments) {
  std::string letters;
  std::size_t i = 1;
  for (; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (asks_the_program(argument)) return Uncacheable{reason::kDriverInformation, argument};
    if (argument.starts_with("--")) return other_operation(argument);
    const bool is_bare = !argument.starts_with('-');
    if (is_bare && !letters.empty()) break;
    letters += argument.substr(is_bare ? 0 : 1);
  }
  if (auto refusal = letters_refusal(letters)) return *std::move(refusal);
  if (!names_operation(letters) || i == arguments.size()) return other_operation(letters);
  const auto is_option = [](const std::string& argument) { return argument.starts_with('-'); };
  const auto option = std::find_if(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end(), is_option);
  if (option != arguments.end()) return other_operation(*option);
  return arguments[i];
}

std::variant<std::string, Uncacheable> archive_of_ranlib(const std::vector<std::string>& arguments) {
  std::string archive;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (asks_the_program(argument)) return Uncacheable{reason::kDriverInformation, argument};
    if (argument == "-D") continue;
    if (argument == "-U" || argument == "-t") return Uncacheable{reason::kArchiveTimes, argument};
    if (argument.starts_with('-') || !archive.empty()) return other_operation(argument);
    archive = argument;
  }
  if (archive.empty()) return Uncacheable{reason::kNoInput, ""};
  return archive;
}

}  // namespace

bool is_archiver(std::string_view path) { return program_name(path) == "ar" || is_ranlib(path); }

std::variant<std::string, Uncacheable> find_archive(const std::vector<std::string>& arguments) {
  return is_ranlib(arguments[0]) ? archive_of_ranlib(arguments) : archive_of_ar(arguments);
}

}  // namespace hipcache::compiler
