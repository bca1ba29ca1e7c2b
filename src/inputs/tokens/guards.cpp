#include "inputs/tokens/guards.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "hipcache/base/text.h"

namespace hipcache::inputs {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostUnits = 32;  // of a condition that is understood

// Whether a compiler may define a macro of that name by itself. The standard keeps the names that begin with an
// underscore for it. Beside those, compilers have short names of systems and processors (linux, MIPSEB), and those of
// some families: what clang 15 to 23 define, and the names in their libraries that begin so.
bool may_be_predefined(std::string_view name) {
  constexpr std::array kFamilies = {"_"sv, "HIP_"sv, "CUDA_"sv, "CL_"sv, "SYCL_"sv, "FP_"sv, "OBJC_"sv, "IB_"sv};
  constexpr std::array kUsual = {"DEBUG"sv, "NDEBUG"sv};
  if (holds(kUsual, name)) return false;
  const bool is_of_family =
      std::any_of(kFamilies.begin(), kFamilies.end(), [&](std::string_view one) { return name.starts_with(one); });
  const bool has_capital = std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_of_family || !has_capital || name.find('_') == name.npos;
}

Guard guard_of(std::string_view name, Guard::Holds holds) {
  return {.name = name64(name), .holds = holds, .may_be_predefined = may_be_predefined(name)};
}

// The opposite; none if that is always true.
std::optional<Guard> opposite(Guard guard) {
  if (guard.holds == Guard::Holds::never) return std::nullopt;
  guard.holds = guard.holds == Guard::Holds::if_defined ? Guard::Holds::if_undefined : Guard::Holds::if_defined;
  return guard;
}

// Reads "defined X", "!defined(X)" and several of them with && between.
class Terms {
 public:
  explicit Terms(const std::vector<Unit>& units) : units_(units) {}

  std::vector<Guard> read() {
    std::vector<Guard> guards;
    do {
      const std::optional<Guard> guard = term();
      if (!guard) return {};
      guards.push_back(*guard);
    } while (takes("&") && takes("&"));
    return at_ == units_.size() && !is_broken_ ? guards : std::vector<Guard>();
  }

 private:
  bool takes(std::string_view text) {
    if (at_ == units_.size() || !units_[at_].is(text)) return false;
    ++at_;
    return true;
  }

  std::optional<Guard> term() {
    const auto holds = takes("!") ? Guard::Holds::if_undefined : Guard::Holds::if_defined;
    if (!takes("defined")) return std::nullopt;
    const bool has_parentheses = takes("(");
    if (at_ == units_.size() || units_[at_].kind != Unit::Kind::word) return std::nullopt;
    const Guard guard = guard_of(units_[at_++].text, holds);
    if (has_parentheses && !takes(")")) return std::nullopt;
    is_broken_ = is_broken_ || (at_ < units_.size() && !units_[at_].is("&"));
    return guard;
  }

  const std::vector<Unit>& units_;
  std::size_t at_ = 0;
  bool is_broken_ = false;  // something else than && follows
};

}  // namespace

void GuardReader::take_unit(const Unit& unit) {
  if (units_.size() <= kMostUnits) units_.push_back(unit);
}

std::vector<Guard> GuardReader::parsed_guards() const {
  if (units_.empty() || units_.size() > kMostUnits) return {};
  const bool is_one = units_.size() == 1;
  if (word_.ends_with("ndef"))
    return is_one ? std::vector{guard_of(units_[0].text, Guard::Holds::if_undefined)} : std::vector<Guard>();
  if (word_.ends_with("def"))
    return is_one ? std::vector{guard_of(units_[0].text, Guard::Holds::if_defined)} : std::vector<Guard>();
  if (is_one && units_[0].is("0")) return {{.holds = Guard::Holds::never}};
  return Terms(units_).read();
}

std::uint32_t GuardReader::within(std::uint32_t around, const std::vector<Guard>& guards, SourceNames& names) const {
  for (Guard guard : guards) {
    guard.around = around;
    names.guards.push_back(guard);
    around = static_cast<std::uint32_t>(names.guards.size());
  }
  return around;
}

void GuardReader::begin_branch(const std::vector<Guard>& asked, SourceNames& names) {
  Branches& branches = open_.back();
  current_ = within(within(branches.around, branches.later, names), asked, names);
  // That none of several holds says nothing of each.
  if (asked.size() != 1) return;
  if (const std::optional<Guard> other = opposite(asked[0])) branches.later.push_back(*other);
}

void GuardReader::end_line(SourceNames& names) {
  if (word_.starts_with("if")) {
    open_.push_back({.around = current_, .later = {}});
    begin_branch(parsed_guards(), names);
  } else if (is_undef()) {
    if (!units_.empty()) names.undefined.push_back(name64(units_[0].text));
  } else if (!open_.empty() && word_.starts_with("el")) {
    begin_branch(word_ == "else" ? std::vector<Guard>() : parsed_guards(), names);
  } else if (!open_.empty() && word_ == "endif") {
    current_ = open_.back().around;
    open_.pop_back();
  }
  word_ = "";
  units_.clear();
}

}  // namespace hipcache::inputs
