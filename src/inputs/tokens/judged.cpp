#include "inputs/tokens/judged.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "hipcache/base/text.h"

namespace hipcache::inputs {
namespace {

using namespace std::string_view_literals;

// By their first word. Compilers ignore those of other compilers, with a message at most. OpenMP and OpenACC count by
// their options (compiler/source_sight.h): without these the pragmas are ignored. What `message` prints is judged when
// it was printed (daemon/run/messages.h). __LINE__ is no pragma: rocThrust has a macro for MSVC that shares its name
// with one that makes pragmas.
constexpr std::string_view kPragmas =
    " once pack weak redefine_extname comment region endregion mark warning intrinsic function omp acc unroll nounroll "
    "unroll_and_jam nounroll_and_jam push_macro pop_macro float_control fenv_access ivdep vector simd novector inline "
    "noinline forceinline hd_warning_disable nv_exec_check_disable nv_diag_suppress nv_diag_default nv_diagnostic "
    "diag_suppress diag_default diag_warning diag_error diag_remark loop ibm message STDC "
    "__LINE__ ";
constexpr std::string_view kPragmasOfGcc =
    " visibility push_options pop_options optimize target reset_options poison system_header ivdep unroll novector "
    "warning error ";
constexpr std::string_view kPragmasOfClang =
    " loop fp force_cuda_host_device attribute assume_nonnull section optimize system_header poison ";

// Push and pop restore what the command turned on. "ignored" turns nothing on.
bool is_judged_diagnostic(const std::vector<std::string>& words) {
  if (words.size() == 3) return words[2] == "push" || words[2] == "pop";
  const bool has_text = words.size() == 4 ? words[3].starts_with('"') : words.size() == 5 && words[3] == "#";
  return has_text && words[2] == "ignored";
}

// The end of what begins there: a word, a literal or one sign.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (text[at] == '"') {
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (is_of_word(text[at]))
    while (end < text.size() && is_of_word(text[end])) ++end;
  return end;
}

// What a literal without prefix stands for; nothing if an escape is not one of these.
bool append_decoded(std::string_view literal, std::string& text) {
  literal = literal.substr(1, literal.size() - 2);
  for (std::size_t at = 0; at < literal.size(); ++at) {
    char c = literal[at];
    if (c == '\\') {
      const char next = ++at < literal.size() ? literal[at] : '\0';
      if (next != 'n' && next != 't' && next != '"' && next != '\\' && next != '\'') return false;
      c = next == 'n' ? '\n' : next == 't' ? '\t' : next;
    }
    text.push_back(c);
  }
  return true;
}

}  // namespace

bool is_judged_pragma(const std::vector<std::string>& words) {
  if (words.empty()) return true;
  const std::string& first = words.front();
  if (first != "GCC" && first != "clang") return lists(kPragmas, first);
  if (words.size() < 2) return false;
  if (words[1] == "diagnostic") return is_judged_diagnostic(words);
  return lists(first == "GCC" ? kPragmasOfGcc : kPragmasOfClang, words[1]);
}

std::vector<std::string> words_of_pragma(std::string_view literal) {
  std::string text;
  std::vector<std::string> words;
  if (literal.size() < 2 || !append_decoded(literal, text)) return {"?"};
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    const std::size_t end = end_of_word(text, at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_judged_assembly(std::string_view spliced) {
  constexpr std::string_view kDirectives =
      " text data bss section pushsection popsection previous subsection globl global local weak hidden protected "
      "internal type size align p2align balign byte ascii asciz string short hword word long int quad octa float "
      "double "
      "zero skip space fill set equ symver ident code32 code64 cfi_startproc cfi_endproc cfi_def_cfa "
      "cfi_def_cfa_offset cfi_def_cfa_register cfi_adjust_cfa_offset cfi_offset cfi_rel_offset cfi_restore "
      "cfi_undefined "
      "cfi_same_value cfi_remember_state cfi_restore_state cfi_escape cfi_signal_frame ";
  const std::string literals = replace_all(std::string(spliced), "\\\n", "");
  std::string text;
  for (std::size_t at = 0; at < literals.size();) {
    const std::size_t end = end_of_word(literals, at);
    if (literals[at] != '"' || end - at < 2 || !append_decoded(std::string_view(literals).substr(at, end - at), text))
      return false;
    at = end;
  }
  if (text.find('\\') != text.npos) return false;  // an argument of one of the assembler's own macros
  for (std::size_t at = text.find('.'); at != text.npos; at = text.find('.', at + 1)) {
    if (at > 0 && is_of_word(text[at - 1])) continue;  // within a name or number
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (is_digit(next)) continue;
    if (next == 'L' && at + 2 < text.size() && is_digit(text[at + 2])) continue;  // a label
    std::size_t end = at + 1;
    while (end < text.size() && (is_of_word(text[end]) || text[end] == '.')) ++end;
    std::string name = text.substr(at + 1, end - at - 1);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!lists(kDirectives, name)) return false;
  }
  return true;
}

// Those of C and C++ libraries, of the languages, and of targets, in clang 15 to 23 and gcc 12 to 15. Those that show a
// place or a name are known to reach.cpp, each with what it shows. Not among them: annotation, verbose_trap, and the
// names of SYCL's kernels.
bool is_judged_builtin(std::string_view word) {
  constexpr auto kFamilies = std::to_array<std::string_view>(
      {"amdgcn_",   "ia32_",      "nvvm_",        "neon_",      "arm_",         "sve_",         "aarch64_", "altivec_",
       "vsx_",      "mem",        "str",          "is",         "va_",          "bswap",        "clz",      "ctz",
       "ffs",       "popcount",   "parity",       "clrsb",      "add",          "sub",          "mul",      "sadd",
       "ssub",      "smul",       "uadd",         "usub",       "umul",         "huge_val",     "inf",      "nan",
       "fabs",      "abs",        "labs",         "llabs",      "copysign",     "ceil",         "floor",    "round",
       "rint",      "nearbyint",  "trunc",        "lround",     "llround",      "lrint",        "llrint",   "fma",
       "fmin",      "fmax",       "fmod",         "fdim",       "sqrt",         "cbrt",         "sin",      "cos",
       "tan",       "asin",       "acos",         "atan",       "exp",          "log",          "pow",      "hypot",
       "erf",       "tgamma",     "lgamma",       "ldexp",      "frexp",        "modf",         "scalb",    "ilogb",
       "remainder", "remquo",     "nextafter",    "nexttoward", "canonicalize", "elementwise_", "reduce_",  "coro_",
       "rotate",    "bitreverse", "nontemporal_", "ms_va_",     "complex",      "conj",         "cimag",    "creal",
       "carg",      "cabs",       "cacos",        "casin",      "catan",        "ccos",         "cexp",     "clog",
       "cpow",      "cproj",      "csin",         "csqrt",      "ctan",         "signbit",      "alloca",   "print",
       "fprint",    "snprintf",   "sprintf",      "vsnprintf",  "vsprintf",     "vprintf",      "__"});
  constexpr std::string_view kOthers =
      " expect expect_with_probability unreachable trap debugtrap assume assume_aligned assume_separate_storage "
      "constant_p choose_expr types_compatible_p offsetof object_size dynamic_object_size alignof prefetch "
      "frame_address return_address extract_return_addr frob_return_addr frob_return_address "
      "unwind_init eh_return eh_return_data_regno dwarf_cfa dwarf_sp_column init_dwarf_reg_size_table setjmp longjmp "
      "cpu_supports cpu_is cpu_init readcyclecounter readsteadycounter launder addressof function_start operator_new "
      "operator_delete bit_cast shufflevector shuffle shuffle_with_type convertvector vectorelements "
      "invoke convert thread_pointer clear_padding zero_non_value_bits "
      "malloc calloc realloc free fclose exit abort _exit puts putchar putc fputs fputc fwrite sponentry apply "
      "apply_args return "
      "bcmp bcopy bzero index rindex classify_type fpclassify flt_rounds set_flt_rounds "
      "counted_by_ref preserve_access_index preserve_field_info "
      "allow_runtime_check is_constant_evaluated speculation_safe_value goacc_parlevel_id goacc_parlevel_size "
      "stack_address wasm_ref_null get_device_side_mangled_name nondeterministic_value tgmath "
      "LINE COLUMN FILE FUNCTION FILE_NAME FUNCSIG source_location dump_struct ";
  constexpr std::string_view kPrefix = "__builtin_";
  if (!word.starts_with(kPrefix)) return true;
  word.remove_prefix(kPrefix.size());
  return holds_prefix_of(kFamilies, word) || lists(kOthers, word);
}

Judge::Finding Judge::found(Finding finding, std::string what) {
  state_ = State::none;
  what_ = std::move(what);
  return finding;
}

Judge::Finding Judge::take_asm(const Unit& unit) {
  constexpr std::string_view kQualifiers = " volatile __volatile__ __volatile goto inline __inline__ __inline ";
  if (state_ == State::behind_asm) {
    if (lists(kQualifiers, unit.text)) return Finding::none;
    if (!unit.is("(")) return found(Finding::unjudged, "asm without parentheses");
    state_ = State::in_asm;
    text_.clear();
    return Finding::none;
  }
  if (unit.kind == Unit::Kind::literal) {
    text_ += unit.text;
    return Finding::none;
  }
  if (!unit.is(":") && !unit.is(")")) return found(Finding::assembly, "asm with a text that macros make");
  state_ = State::none;
  return is_judged_assembly(text_) ? Finding::none : found(Finding::unjudged, "asm that may read a file");
}

Judge::Finding Judge::take_pragma(const Unit& unit, bool is_parameter) {
  const std::string what = "_Pragma " + text_;
  if (state_ == State::behind_pragma && unit.is("(")) {
    state_ = State::in_pragma;
    text_.clear();
    return Finding::none;
  }
  if (state_ == State::in_pragma && unit.kind == Unit::Kind::literal) {
    state_ = State::behind_text;
    text_ = unit.text;
    return Finding::none;
  }
  if (state_ == State::in_pragma && unit.is("#")) {
    state_ = State::in_argument;
    return Finding::none;
  }
  if (state_ == State::in_argument && is_parameter) {
    state_ = State::behind_argument;
    return Finding::none;
  }
  if (state_ == State::behind_argument && unit.is(")")) return found(Finding::pragma, "_Pragma of an argument");
  if (state_ != State::behind_text || !unit.is(")"))
    return found(Finding::unjudged, "_Pragma of a text that macros make");
  state_ = State::none;
  words_ = words_of_pragma(text_);
  return is_judged_pragma(words_) ? Finding::none : found(Finding::unjudged, what);
}

Judge::Finding Judge::take(const Unit& unit, bool is_parameter) {
  constexpr std::string_view kAsm = " asm __asm __asm__ ";
  words_.clear();
  if (state_ == State::behind_asm || state_ == State::in_asm) return take_asm(unit);
  if (state_ >= State::behind_pragma && state_ <= State::behind_text) return take_pragma(unit, is_parameter);
  const bool is_word = unit.kind == Unit::Kind::word && !is_parameter;
  const bool was_export = std::exchange(is_behind_export_, is_word && unit.is("export"));
  if (state_ == State::behind_module) {
    state_ = State::none;
    if (unit.kind == Unit::Kind::word || unit.is(";") || unit.is(":")) return found(Finding::unjudged, "a module");
  }
  if (!is_word) {
    if (unit.kind != Unit::Kind::literal) return Finding::none;
    // A section's name or the like may get to the assembler.
    std::string lower(unit.text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower.find("incbin") == lower.npos ? Finding::none : found(Finding::unjudged, "the word incbin");
  }
  if (lists(kAsm, unit.text)) state_ = State::behind_asm;
  if (unit.is("_Pragma")) state_ = State::behind_pragma;
  if ((unit.begins_line || was_export) && unit.is("import")) return found(Finding::unjudged, "import");
  if ((unit.begins_line || was_export) && unit.is("module")) state_ = State::behind_module;
  return Finding::none;
}

Judge::Finding Judge::end() {
  if (std::exchange(state_, State::none) == State::none) return Finding::none;
  words_.clear();
  return found(Finding::unjudged, "asm or _Pragma in a part of a macro");
}

}  // namespace hipcache::inputs
