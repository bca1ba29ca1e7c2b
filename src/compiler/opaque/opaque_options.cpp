#include "compiler/opaque/opaque_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::compiler {
namespace {

// Whether an option for the front end or LLVM makes it print text that differs from run to run.
bool is_measuring(std::string_view word) {
  return word.find("stats") != std::string_view::npos || word.find("time-") != std::string_view::npos ||
         word.find("-report") != std::string_view::npos;
}

bool loads_code(std::string_view word) { return word == "-load" || word.find("plugin") != std::string_view::npos; }

// GNU as prints its time and memory with --statistics. It takes one dash as well, and any
// unambiguous beginning.
bool measures_assembler(std::string_view word) { return word.starts_with("--sta") || word.starts_with("-sta"); }

Uncacheable refusal_by(Reason reason, std::string_view option, std::string_view value) {
  return {reason, std::string(option) + (value.empty() ? "" : " ") + std::string(value)};
}

}  // namespace

PassedOnOptions::Reader PassedOnOptions::reader_of(std::string_view option) {
  if (option_has(option, facts::to_frontend)) return Reader::frontend;
  if (option_has(option, facts::to_backend)) return Reader::backend;
  if (option_has(option, facts::to_assembler)) return Reader::assembler;
  return Reader::none;
}

Reason PassedOnOptions::frontend_refusal(std::string_view word) {
  const std::string_view before = std::exchange(previous_, word);
  if (!word.starts_with('-') && option_has(before, facts::takes_name)) return Reason::none;
  if (option_has(word, facts::joins_name)) return Reason::none;
  if (option_has(word, facts::makes_ast)) emits_header_ = true;
  if (is_measuring(word)) return Reason::frontend_option;
  return loads_code(word) ? Reason::plugin : reason_against(word, facts::refused);
}

Reason PassedOnOptions::refusal(Reader reader, std::string_view word) {
  switch (reader) {
    case Reader::none:
      return Reason::none;
    case Reader::frontend:
      return frontend_refusal(word);
    case Reader::backend:
      if (is_measuring(word)) return Reason::backend_option;
      return loads_code(word) ? Reason::plugin : Reason::none;
    case Reader::assembler:
      return measures_assembler(word) ? Reason::statistics : Reason::none;
  }
  return Reason::none;
}

std::optional<Uncacheable> PassedOnOptions::take(std::string_view option, std::string_view value) {
  // Only these spellings count. clang 15 takes "-Xclang=X" and ignores it, and -Xanalyzer's options reach nothing but
  // the analyzer.
  if (value == "-fno-pch-timestamp" && (option == "-Xclang" || option == "-Xpreprocessor")) leaves_out_times_ = true;
  if (const Reason reason = refusal(reader_of(option), value); reason != Reason::none)
    return refusal_by(reason, option, value);
  return std::nullopt;
}

std::optional<Uncacheable> PassedOnOptions::take(std::string_view argument) {
  const std::size_t end = argument.find_first_of("=,");
  if (end == std::string_view::npos) return std::nullopt;
  const Reader reader = reader_of(argument[end] == ',' ? argument : argument.substr(0, end));
  if (reader == Reader::none) return std::nullopt;
  // "-Wp,X,Y" has several words, "-Xclang=X,Y" has one.
  const char separator = argument[end] == ',' ? ',' : '\0';
  for (std::size_t at = end + 1; at <= argument.size();) {
    const std::size_t next = std::min(argument.find(separator, at), argument.size());
    if (const Reason reason = refusal(reader, argument.substr(at, next - at)); reason != Reason::none)
      return refusal_by(reason, argument, "");
    at = next + 1;
  }
  return std::nullopt;
}

namespace {

// All other options that begin with "-M" are unclear.
constexpr auto kOfDepfiles = std::to_array<std::string_view>({"-MD", "-MMD", "-MP"});

constexpr auto kLanguages =
    std::to_array<std::string_view>({"c", "c++", "assembler", "assembler-with-cpp", "cpp-output", "c++-cpp-output"});
constexpr auto kSources = std::to_array<std::string_view>(
    {".c", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".i", ".ii", ".s", ".S", ".sx"});
constexpr auto kObjects = std::to_array<std::string_view>({".o", ".lo", ".obj"});
constexpr auto kDepfiles = std::to_array<std::string_view>({".d", ".dep", ".Po", ".Tpo", ".Plo", ".Tlo"});

template <typename List>
bool ends_like(std::string_view name, const List& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
    return name.ends_with(ending) && name.size() > ending.size() && name[name.size() - ending.size() - 1] != '/';
  });
}

// Whether make needs no quoting for the name, and no compiler takes it for an option.
bool is_plain(std::string_view name) {
  return !name.empty() && name[0] != '-' && name[0] != '@' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+@-") ==
             std::string_view::npos;
}

// A name on the command line: given once, separate ("-o a.o") or attached ("-oa.o").
struct Named {
  std::string value;
  std::size_t position = 0;  // of the argument that contains the value
  std::size_t attached = 0;  // characters before the value
  unsigned count = 0;
};

class NameReading {
 public:
  explicit NameReading(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  // Whether the option's effect on names is known.
  bool take(std::size_t position) {
    const std::string_view word = arguments_[position];
    if (word == "-c") return compiles_ = true;
    if (word.starts_with("-x")) return holds(kLanguages, value_of("-x", position));
    if (word == "-MD" || word == "-MMD") wants_depfile_ = true;
    if (word.starts_with("-o")) return note(object_, "-o", position);
    if (word.starts_with("-MF")) return note(depfile_, "-MF", position);
    if (word.starts_with("-MT")) return note(target_, "-MT", position);
    if (word.starts_with("-MQ")) return note(target_, "-MQ", position);
    if (word.starts_with("-M")) return holds(kOfDepfiles, word);
    if (word == "-S" || word == "-E" || word == "--compile") return false;
    return !option_has(word, facts::unclear_names);
  }

  std::optional<OutputNames> finish() const {
    if (!compiles_ || object_.count != 1 || depfile_.count > 1 || target_.count > 1) return std::nullopt;
    if (!wants_depfile_ && (depfile_.count != 0 || target_.count != 0)) return std::nullopt;
    if (!is_plain(object_.value) || !ends_like(object_.value, kObjects)) return std::nullopt;
    OutputNames names{.object = object_.value, .depfile = "", .target = "", .keyed = arguments_};
    replace(names.keyed, object_, kObjectName);
    if (!wants_depfile_) return names;
    names.depfile = depfile_.count == 0 ? derived_depfile() : depfile_.value;
    names.target = target_.count == 0 ? object_.value : target_.value;
    if (!is_plain(names.depfile) || !ends_like(names.depfile, kDepfiles) || !is_plain(names.target))
      return std::nullopt;
    replace(names.keyed, depfile_, kDepfileName);
    replace(names.keyed, target_, kTargetName);
    return names;
  }

 private:
  std::string value_of(std::string_view option, std::size_t position) const {
    if (arguments_[position].size() > option.size()) return arguments_[position].substr(option.size());
    return position + 1 < arguments_.size() ? arguments_[position + 1] : "";
  }

  bool note(Named& named, std::string_view option, std::size_t position) const {
    const bool is_attached = arguments_[position].size() > option.size();
    named.value = value_of(option, position);
    named.position = is_attached ? position : position + 1;
    named.attached = is_attached ? option.size() : 0;
    ++named.count;
    return named.position < arguments_.size();
  }

  // Both compilers replace ".o" by ".d". Their behaviour with other endings is untested.
  std::string derived_depfile() const {
    constexpr std::string_view kEnding = ".o";
    if (!object_.value.ends_with(kEnding)) return "";
    return object_.value.substr(0, object_.value.size() - kEnding.size()) + ".d";
  }

  static void replace(std::vector<std::string>& arguments, const Named& named, const char* placeholder) {
    if (named.count != 0) arguments[named.position].replace(named.attached, std::string::npos, placeholder);
  }

  const std::vector<std::string>& arguments_;
  Named object_, depfile_, target_;
  bool compiles_ = false;
  bool wants_depfile_ = false;
};

bool holds_placeholder(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& one) { return one.find('\x01') != std::string::npos; });
}

}  // namespace

bool is_named_like_source(std::string_view name) { return ends_like(name, kSources); }

std::optional<OutputNames> find_output_names(const std::vector<std::string>& arguments,
                                             const std::vector<std::size_t>& options,
                                             const std::vector<std::string>& inputs) {
  if (inputs.size() != 1 || !is_named_like_source(inputs[0]) || holds_placeholder(arguments)) return std::nullopt;
  NameReading reading(arguments);
  for (const std::size_t position : options)
    if (!reading.take(position)) return std::nullopt;
  return reading.finish();
}

}  // namespace hipcache::compiler
