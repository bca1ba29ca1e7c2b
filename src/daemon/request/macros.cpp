#include "daemon/request/macros.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "hipcache/base/text.h"
#include "hipcache/compiler/source_sight.h"
#include "hipcache/inputs/run.h"

namespace hipcache::daemon {
namespace {

using compiler::MacroArgument;

// The text behind "-D" up to the value or the parameters.
std::string_view name_in(std::string_view text) { return text.substr(2, text.find_first_of("=(") - 2); }

std::string_view value_in(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals == text.npos ? std::string_view() : text.substr(equals + 1);
}

// Words of the languages, which a macro would change, with a message from some compilers.
constexpr std::string_view kKeywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue contract_assert decltype "
    "default defined delete do double dynamic_cast else enum explicit export extern false final float for friend goto "
    "if "
    "import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override "
    "private "
    "protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual "
    "union unsigned using virtual void volatile wchar_t while xor xor_eq half ";

// What compilers define by themselves for some system, processor or language, beside reserved names.
constexpr std::string_view kPredefined =
    " linux unix i386 i486 i586 i686 pentium vax mips sparc sun arm arc hppa hpux PARISC MIPSEB MIPSEL R3000 R4000 AVR "
    "ARC "
    "PPC PPC64 PWB SPARC SVR4 MSDOS CYGWIN WIN32 WIN64 WINNT mc68000 m68k sgi host_mips rtems bfin BFIN hexagon "
    "tricore "
    "wasm NeXT ";
constexpr std::array<std::string_view, 9> kPredefinedBegin = {"HIP_",  "CUDA_", "CL_", "SYCL_", "FP_",
                                                              "OBJC_", "IB",    "cl_", "NVPTX"};

// Reserved and predefined names may be the compiler's own, and another value of these changes more than the sources
// that have them.
bool is_users_name(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  if (name.size() > 1 && name[0] == '_' && (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0))
    return false;
  return !lists(kKeywords, name) && !lists(kPredefined, name) && !holds_prefix_of(kPredefinedBegin, name) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return (std::isalnum(c) != 0 && c < 0x80) || c == '_'; });
}

bool is_plain(std::string_view text) {
  return text.find('(') == text.npos || text.find('=') < text.find('(') ? inputs::is_plain_value(value_in(text))
                                                                        : false;
}

struct Definition {
  std::size_t count = 1;  // words
  std::string text;
};

// The word as a definition, by its form alone, or as a word that clang ignores.
std::optional<Definition> definition_at(const std::vector<std::string>& arguments, std::size_t at) {
  const std::string& word = arguments[at];
  if (word.starts_with(compiler::kSeedOption)) return Definition{1, word};
  if (!word.starts_with("-D") && !word.starts_with("-U")) return std::nullopt;
  if (word.size() > 2) return Definition{1, word};
  if (at + 1 == arguments.size()) return std::nullopt;
  return Definition{2, word + arguments[at + 1]};
}

// Each job of a plan has its macros in its own command, also those that an option for one side gave. Of an opaque
// compile nobody reads these.
std::vector<std::string> judged_words(const compiler::Invocation& invocation) {
  std::vector<std::string> words = invocation.driver.then_links ? invocation.driver.for_cuid : invocation.expanded;
  if (invocation.driver.then_links) words.emplace_back("-c");  // what the linker gets has no macros
  if (!invocation.other_sources.empty()) words.push_back(invocation.source);
  if (invocation.route != compiler::Route::planned) return words;
  const auto is_macro = [](std::string_view word) {
    return word.size() > 2 && (word.starts_with("-D") || word.starts_with("-U"));
  };
  for (std::size_t i = 1; i + 1 < words.size();)
    if (words[i].starts_with("-Xarch_") && is_macro(words[i + 1]))
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i + 2));
    else
      ++i;
  return words;
}

}  // namespace

void find_macros(const compiler::Invocation& invocation, const std::string& source, inputs::RunContext& from,
                 inputs::FileSystemState& file_system) {
  const compiler::OpaqueTraits& opaque = invocation.opaque;
  const bool compiles = !source.empty() && !invocation.driver.links && opaque.making == compiler::Making::compile;
  const bool makes_id = compiles && (opaque.makes_id || opaque.not_split);  // the compiler, of the whole command
  if (!(compiles || opaque.links_objects) || makes_id) return;
  if (compiles && compiler::may_record_macros(judged_words(invocation))) return;
  from.leaves_out_macros = true;
  std::vector<std::string> names;
  const std::vector<MacroArgument> arguments = compiler::macro_arguments(invocation.expanded);
  for (const MacroArgument& argument : arguments) {
    from.macro_definitions.push_back(argument.text);
    names.emplace_back(name_in(argument.text));
  }
  // All definitions of a name stay or go together, because their order counts. One behind -Xarch_host stays.
  std::vector<std::string> kept;
  for (std::size_t i = 1; i < invocation.expanded.size(); ++i) {
    const std::optional<Definition> definition = definition_at(invocation.expanded, i);
    if (!definition) continue;
    const std::string_view name = name_in(definition->text);
    const bool is_argument = std::any_of(arguments.begin(), arguments.end(),
                                         [&](const MacroArgument& argument) { return argument.first == i; });
    const bool is_given_twice = std::count(names.begin(), names.end(), name) > 1;  // compilers compare the values
    if (!is_argument || is_given_twice || !is_users_name(name) || !is_plain(definition->text)) kept.emplace_back(name);
  }
  // A macro of one source is nothing to the others, so none stays for the sake of a source.
  if (compiles && invocation.other_sources.empty())
    for (std::string& name : file_system.words_among(source, names)) kept.push_back(std::move(name));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (std::find(kept.begin(), kept.end(), names[i]) == kept.end())
      from.macros.push_back({names[i], arguments[i].text});
  for (const std::string& word : opaque.ignored) from.macros.push_back({std::string(name_in(word)), word});
}

std::vector<std::string> without_macros(const std::vector<std::string>& arguments, const inputs::RunContext& from) {
  if (from.macros.empty()) return arguments;
  const auto is_known = [&](const std::string& text) {
    return std::any_of(from.macros.begin(), from.macros.end(),
                       [&](const inputs::Macro& macro) { return macro.text == text; });
  };
  // Names that the command defines in other ways as well: a driver's own, or one added by the environment.
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (const auto definition = definition_at(arguments, i); definition && !is_known(definition->text))
      kept.emplace_back(name_in(definition->text));
  std::vector<std::string> left;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto definition = definition_at(arguments, i);
    if (definition && is_known(definition->text) && !holds(kept, std::string(name_in(definition->text))))
      i += definition->count - 1;
    else
      left.push_back(arguments[i]);
  }
  return left;
}

}  // namespace hipcache::daemon
