#include "compiler/opaque/find_output_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "hipcache/base/text.h"

namespace hipcache::compiler {
namespace {

// Options with which a compiler derives more names from the object's, or looks for files by them.
// Also options with which it takes names in another form, or hides its arguments in the object.
constexpr auto kUnclear = std::to_array<std::string_view>({"-gsplit-dwarf",
                                                           "-save-temps",
                                                           "--save-temps",
                                                           "-d",
                                                           "-fdump",
                                                           "-fstack-usage",
                                                           "-fcallgraph",
                                                           "-fprofile",
                                                           "-fcs-profile",
                                                           "-fauto",
                                                           "-fmemory",
                                                           "-fcoverage",
                                                           "--coverage",
                                                           "-coverage",
                                                           "-ftest-coverage",
                                                           "-flto",
                                                           "-fthin",
                                                           "-Wp,",
                                                           "-Xclang",
                                                           "-Xpreprocessor",
                                                           "-Xarch",
                                                           "-Xoffload",
                                                           "-specs",
                                                           "--specs",
                                                           "-wrapper",
                                                           "-aux-info",
                                                           "-fsave-",
                                                           "-foptim",
                                                           "-fmodule",
                                                           "-emit",
                                                           "--emit",
                                                           "-working-dir",
                                                           "--offload",
                                                           "--cuda",
                                                           "-fgpu",
                                                           "-fopenmp-targets",
                                                           "-ftime",
                                                           "-fxray",
                                                           "-fsanitize",
                                                           "-index-",
                                                           "--serialize",
                                                           "-serialize",
                                                           "--analyze",
                                                           "-analyze",
                                                           "--precompile",
                                                           "-verify",
                                                           "-rewrite",
                                                           "-extract",
                                                           "-fsyntax-only",
                                                           "--syntax-only",
                                                           "-ccc",
                                                           "--config",
                                                           "-frepo",
                                                           "-gz",
                                                           "-frecord",
                                                           "-grecord",
                                                           "--output",
                                                           "--dep",
                                                           "-dependency-",
                                                           "-module-dependency-",
                                                           "-gen-cdb-",
                                                           "-arcmt-",
                                                           "--dump",
                                                           "--language",
                                                           "--write",
                                                           "--user-dep",
                                                           "--print-missing",
                                                           "-fdiagnostics-add"});

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

class Reading {
 public:
  explicit Reading(const std::vector<std::string>& arguments) : arguments_(arguments) {}

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
    return std::none_of(kUnclear.begin(), kUnclear.end(),
                        [&](std::string_view unclear) { return word.starts_with(unclear); });
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
  Reading reading(arguments);
  for (const std::size_t position : options)
    if (!reading.take(position)) return std::nullopt;
  return reading.finish();
}

}  // namespace hipcache::compiler
