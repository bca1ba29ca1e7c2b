#include "inputs/tokens/pasting.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>

#include "inputs/tokens/name_reader.h"
#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

using Kind = Unit::Kind;

// Follows the calls of pasting macros in live code, or in the body of one macro.
class CallReader {
 public:
  CallReader(const NameSet& pasting, PasteFacts& facts) : pasting_(pasting), facts_(facts) {}

  // `macro`: whose body the units are; 0 in live code.
  void begin(Name64 macro) {
    macro_ = macro;
    open_.clear();
    region_ = {};
    callee_ = 0;
    is_broken_ = false;
  }

  void take(const Unit& unit, bool is_parameter) {
    if (unit.is("(")) return open();
    if (unit.is(")")) return close();
    end_callee();
    if (open_.empty() && macro_ == 0) end_region();
    if (unit.kind != Kind::word) return;
    const Name64 word = name64(unit.text);
    for (const Name64 callee : open_)
      if (callee != 0) add(callee, word, is_parameter);
    if (!is_parameter && (!open_.empty() || macro_ != 0)) region_.words.push_back(word);
    if (!is_parameter && pasting_.contains(word)) callee_ = word;
  }

  void end() {
    end_callee();
    const bool is_of_paster = macro_ != 0 && (region_.has_pasting || pasting_.contains(macro_));
    if (is_of_paster && (is_broken_ || !open_.empty())) facts_.is_unclear = true;
    if (macro_ == 0 && !open_.empty() && region_.has_pasting) facts_.is_unclear = true;
    end_region();
  }

 private:
  // What stands between the outermost parentheses, or in the macro.
  struct Region {
    std::vector<Name64> words;
    std::vector<Name64> bare;  // pasting macros that are called elsewhere
    bool has_pasting = false;
  };

  void add(Name64 callee, Name64 word, bool is_parameter) {
    if (is_parameter)
      facts_.passed.emplace_back(callee, macro_);
    else
      facts_.given.emplace_back(callee, word);
  }

  void open() {
    const Name64 callee = callee_ != 0 ? callee_ : closed_;
    if (callee != 0) region_.has_pasting = true;
    open_.push_back(callee);
    callee_ = closed_ = 0;
  }

  void close() {
    end_callee();
    if (open_.empty()) {
      is_broken_ = true;
      return;
    }
    closed_ = open_.back();  // what the call makes may be called as well
    open_.pop_back();
  }

  // A pasting macro that no parenthesis follows.
  void end_callee() {
    closed_ = 0;
    if (callee_ == 0) return;
    region_.has_pasting = true;
    if (!open_.empty() || macro_ != 0) region_.bare.push_back(callee_);
    callee_ = 0;
  }

  void end_region() {
    for (const Name64 bare : region_.bare) {
      for (const Name64 word : region_.words) facts_.given.emplace_back(bare, word);
      if (macro_ != 0) facts_.passed.emplace_back(bare, macro_);
    }
    region_ = {};
  }

  const NameSet& pasting_;
  PasteFacts& facts_;
  Name64 macro_ = 0;
  std::vector<Name64> open_;  // of each open parenthesis: the pasting macro that is called, or 0
  Region region_;
  Name64 callee_ = 0;  // the unit before
  Name64 closed_ = 0;  // whose call the unit before closed
  bool is_broken_ = false;
};

// Collects the operands of ## in the body of one macro.
class ChainReader {
 public:
  void begin(Name64 macro) {
    macro_ = macro;
    operands_.clear();
    before_ = std::nullopt;
    signs_ = 0;
  }

  void take(const Unit& unit, bool is_parameter, PasteFacts& facts) {
    if (unit.is("#") || unit.is("%") || unit.is(":")) {
      signs_ += 1;
      return;
    }
    const bool joins = signs_ == 2 || signs_ == 4;  // "##", "%:%:"
    const bool is_operand = unit.kind == Kind::word && signs_ != 1;
    if (!joins) end(facts);
    if (joins && operands_.empty() && before_) operands_.push_back(*before_);
    before_ = is_operand ? std::optional(is_parameter ? std::string() : std::string(unit.text)) : std::nullopt;
    if (joins && before_) operands_.push_back(*before_);
    if (joins && !before_) end(facts);
    signs_ = 0;
  }

  void end(PasteFacts& facts) {
    if (operands_.size() > 1) facts.chains.push_back({macro_, operands_});
    operands_.clear();
  }

 private:
  Name64 macro_ = 0;
  std::vector<std::string> operands_;
  std::optional<std::string> before_;
  int signs_ = 0;
};

class PasteReader : public UnitReader {
 public:
  PasteReader(const NameSet& pasting, PasteFacts& facts)
      : facts_(facts), live_(pasting, facts), body_(pasting, facts) {}

  void begin_directive(Directive, std::string_view, std::uint64_t) override {}

  void take_unit(const Unit& unit, Directive directive, std::uint64_t, char) override {
    if (directive == Directive::text || directive == Directive::other) return;
    if (directive != Directive::define) return live_.take(unit, false);
    switch (definition_.take(unit)) {
      case DefinitionReader::Part::name:
        body_.begin(name64(unit.text));
        chains_.begin(name64(unit.text));
        return;
      case DefinitionReader::Part::body: {
        const bool is_parameter = definition_.is_parameter(unit);
        body_.take(unit, is_parameter);
        chains_.take(unit, is_parameter, facts_);
        return;
      }
      default:
        return;
    }
  }

  void end_line() override {
    if (!definition_.end()) return;
    body_.end();
    chains_.end(facts_);
  }

  void end() { live_.end(); }

 private:
  PasteFacts& facts_;
  CallReader live_, body_;
  ChainReader chains_;
  DefinitionReader definition_;
};

}  // namespace

PasteFacts paste_facts(std::string_view text, const NameSet& pasting) {
  PasteFacts facts;
  PasteReader reader(pasting, facts);
  read_units(text, reader);
  reader.end();
  const auto settle = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  settle(facts.given);
  settle(facts.passed);
  return facts;
}

Pasting::Pasting(const std::vector<const PasteFacts*>& facts,
                 const std::vector<std::pair<Name64, std::string>>& pasting, MacroBodies bodies)
    : bodies_(std::move(bodies)) {
  for (const auto& [name, text] : pasting) pasting_.emplace(name, false);
  for (const PasteFacts* one : facts) {
    is_unclear_ = is_unclear_ || one->is_unclear;
    for (const PasteFacts::Chain& chain : one->chains) chains_.push_back(&chain);
    for (const auto& [to, from] : one->passed) receivers_[from].push_back(to);
  }
  if (is_unclear_) return;
  for (const PasteFacts* one : facts)
    for (const auto& [macro, word] : one->given) add_word(macro, word);
  pass_on();
  add_pasted_macros(pasting);
}

// A word goes on to the macros to which the arguments are passed. If it is a macro itself, so does what it expands to.
void Pasting::pass_on() {
  while (!open_.empty()) {
    const auto [macro, word] = open_.back();
    open_.pop_back();
    const auto to = receivers_.find(macro);
    if (to != receivers_.end())
      for (const Name64 receiver : to->second) add_word(receiver, word);
    bodies_.words_of(word, [this, macro = macro](Name64 further) { add_word(macro, further); });
  }
}

void Pasting::add_word(Name64 macro, Name64 word) {
  Arguments& arguments = arguments_[macro];
  if (!arguments.words.insert(word).second) return;
  arguments.has_pasting = arguments.has_pasting || pasting_.contains(word);
  open_.emplace_back(macro, word);
}

// A pasting macro whose own name is pasted is called with what follows the call that makes the name.
void Pasting::add_pasted_macros(const std::vector<std::pair<Name64, std::string>>& pasting) {
  bool has_more = true;
  while (has_more) {
    has_more = false;
    made_.clear();
    come_.clear();
    for (const auto& [name, text] : pasting) {
      if (pasting_[name] || !may_make(text)) continue;
      pasting_[name] = has_more = true;
      std::vector<Name64> words;
      for (const auto& [macro, arguments] : arguments_)
        words.insert(words.end(), arguments.words.begin(), arguments.words.end());
      for (const Name64 word : words) add_word(name, word);
      pass_on();
    }
  }
  made_.clear();
  come_.clear();
}

bool Pasting::may_make(std::string_view name) const {
  if (is_unclear_) return true;
  const auto [known, is_new] = made_.try_emplace(name64(name), true);  // until it is known
  if (!is_new) return known->second;
  const bool is_made = std::any_of(chains_.begin(), chains_.end(),
                                   [&](const PasteFacts::Chain* chain) { return makes(*chain, name); });
  return made_[name64(name)] = is_made;
}

// Any part of the chain may make the name: an argument of several words is joined by its first or last one.
bool Pasting::makes(const PasteFacts::Chain& chain, std::string_view name) const {
  constexpr std::size_t kLongest = 128;
  const std::size_t size = name.size();
  if (size >= kLongest) return true;
  const auto found = arguments_.find(chain.macro);
  static const Arguments kNone;
  const Arguments& arguments = found == arguments_.end() ? kNone : found->second;
  for (std::size_t first = 0; first < chain.operands.size(); ++first) {
    std::bitset<kLongest> ends;  // of what the operands so far may make
    ends.set(0);
    for (std::size_t at = first; at < chain.operands.size() && ends.any(); ++at) {
      const std::string& operand = chain.operands[at];
      std::bitset<kLongest> next;
      for (std::size_t begin = 0; begin <= size; ++begin) {
        if (!ends.test(begin)) continue;
        if (!operand.empty()) {
          if (name.substr(begin).starts_with(operand)) next.set(begin + operand.size());
          continue;
        }
        next.set(begin);  // an empty argument
        for (std::size_t end = begin + 1; end <= size; ++end)
          if (end - begin < size && may_hold(arguments, name.substr(begin, end - begin))) next.set(end);
      }
      ends = next;
      if (at > first && ends.test(size)) return true;
    }
  }
  return false;
}

bool Pasting::may_hold(const Arguments& arguments, std::string_view word) const {
  // What predefined macros stand for, beside numbers.
  constexpr auto kValues = std::to_array<std::string_view>(
      {"int", "long", "short", "char", "unsigned", "signed", "float", "double", "L", "U", "UL", "LL", "ULL", "F", "l",
       "u", "ul", "ll", "ull", "f", "wchar_t", "seq_cst", "agent", "x86_64", "__int128", "_Float16"});
  if (std::all_of(word.begin(), word.end(), is_digit) || arguments.words.contains(name64(word))) return true;
  if (!arguments.words.empty() && holds(kValues, word)) return true;
  return arguments.has_pasting && (may_make(word) || may_come_of_pasted(word));
}

bool Pasting::may_come_of_pasted(std::string_view word) const {
  const auto [known, is_new] = come_.try_emplace(name64(word), true);  // until it is known
  if (!is_new) return known->second;
  bool comes = false;
  bodies_.macros_with(name64(word), [&](std::string_view macro) {
    comes = comes || may_make(macro) || may_come_of_pasted(macro);
  });
  return come_[name64(word)] = comes;
}

}  // namespace hipcache::inputs
