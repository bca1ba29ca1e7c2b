#include "compiler/opaque/passed_on_options.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "compiler/opaque/option_refusal.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::compiler {
namespace {

// Front end's options with a name or a macro as the next word. Such a word may look like an option's.
constexpr auto kBeforeNames =
    std::to_array<std::string_view>({"-D", "-U", "-I", "-MD", "-MMD", "-MF", "-MT", "-MQ", "-include", "-isystem",
                                     "-iquote", "-idirafter", "-include-pch", "-dependency-file"});
constexpr auto kWithJoinedNames = std::to_array<std::string_view>({"-D", "-U", "-I"});

// Whether an option for the front end or LLVM makes it print text that differs from run to run.
bool is_measuring(std::string_view word) {
  return word.find("stats") != std::string_view::npos || word.find("time-") != std::string_view::npos ||
         word.find("-report") != std::string_view::npos;
}

bool loads_code(std::string_view word) { return word == "-load" || word.find("plugin") != std::string_view::npos; }

// GNU as prints its time and memory with --statistics. It takes one dash as well, and any
// unambiguous beginning.
bool measures_assembler(std::string_view word) { return word.starts_with("--sta") || word.starts_with("-sta"); }

Uncacheable refused(const char* reason, std::string_view option, std::string_view value) {
  return {reason, std::string(option) + (value.empty() ? "" : " ") + std::string(value)};
}

}  // namespace

PassedOnOptions::Reader PassedOnOptions::reader_of(std::string_view option) {
  if (option == "-Xclang" || option == "-Xpreprocessor" || option == "-Xanalyzer" || option == "-Wp")
    return Reader::frontend;
  if (option == "-mllvm") return Reader::backend;
  if (option == "-Xassembler" || option == "--for-assembler" || option == "-Wa") return Reader::assembler;
  return Reader::none;
}

const char* PassedOnOptions::frontend_refusal(std::string_view word) {
  const std::string_view before = std::exchange(previous_, word);
  if (!word.starts_with('-') && holds(kBeforeNames, before)) return nullptr;
  if (holds_prefix_of(kWithJoinedNames, word)) return nullptr;
  if (word == "-emit-pch") emits_header_ = true;
  if (is_measuring(word)) return reason::kFrontendOption;
  return loads_code(word) ? reason::kPlugin : option_refusal(word);
}

const char* PassedOnOptions::refusal(Reader reader, std::string_view word) {
  switch (reader) {
    case Reader::none:
      return nullptr;
    case Reader::frontend:
      return frontend_refusal(word);
    case Reader::backend:
      if (is_measuring(word)) return reason::kBackendOption;
      return loads_code(word) ? reason::kPlugin : nullptr;
    case Reader::assembler:
      return measures_assembler(word) ? reason::kStatistics : nullptr;
  }
  return nullptr;
}

std::optional<Uncacheable> PassedOnOptions::take(std::string_view option, std::string_view value) {
  // Only these spellings count. clang 15 takes "-Xclang=X" and ignores it, and -Xanalyzer's options reach nothing but
  // the analyzer.
  if (value == "-fno-pch-timestamp" && (option == "-Xclang" || option == "-Xpreprocessor")) leaves_out_times_ = true;
  if (const char* reason = refusal(reader_of(option), value)) return refused(reason, option, value);
  return std::nullopt;
}

std::optional<Uncacheable> PassedOnOptions::take(std::string_view argument) {
  const std::size_t end = argument.find_first_of("=,");
  if (end == std::string_view::npos) return std::nullopt;
  const Reader reader = reader_of(argument.substr(0, end));
  if (reader == Reader::none) return std::nullopt;
  // "-Wp,X,Y" has several words, "-Xclang=X,Y" has one.
  const char separator = argument[end] == ',' ? ',' : '\0';
  for (std::size_t at = end + 1; at <= argument.size();) {
    const std::size_t next = std::min(argument.find(separator, at), argument.size());
    if (const char* reason = refusal(reader, argument.substr(at, next - at))) return refused(reason, argument, "");
    at = next + 1;
  }
  return std::nullopt;
}

}  // namespace hipcache::compiler
