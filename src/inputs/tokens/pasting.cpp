#include "inputs/tokens/pasting.h"

#include <algorithm>
#include <array>
#include <optional>

#include "hipcache/base/text.h"
#include "inputs/tokens/name_reader.h"
#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

using Kind = Unit::Kind;

// Under this name stands what is around the calls of the macro.
Name64 around(Name64 macro) { return macro * 0x9e3779b97f4a7c15 + 1; }

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
    std::vector<Name64> bare;    // pasting macros that are called elsewhere
    std::vector<Name64> called;  // those that are called here, within others or in a macro
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
    if (callee != 0) {
      region_.has_pasting = true;
      if (!open_.empty() || macro_ != 0) region_.called.push_back(callee);
    }
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
    for (Name64& called : region_.called) called = around(called);
    for (const auto* list : {&region_.bare, &region_.called}) {
      for (const Name64 macro : *list) {
        for (const Name64 word : region_.words) facts_.given.emplace_back(macro, word);
        if (macro_ != 0) facts_.passed.emplace_back(macro, macro_);
      }
    }
    region_.words.clear();
    region_.bare.clear();
    region_.called.clear();
    region_.has_pasting = false;
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

Pasting::Pasting(std::vector<std::shared_ptr<const PasteFacts>> facts,
                 const std::vector<std::pair<Name64, std::string>>& pasting, LargeFilter all, const WordsOf& words_of)
    : facts_(std::move(facts)), all_(std::move(all)) {
  for (const auto& [name, text] : pasting) pasting_.insert(name);
  for (const auto& one : facts_) {
    is_unclear_ = is_unclear_ || one->is_unclear;
    for (const PasteFacts::Chain& chain : one->chains) pasters_[chain.macro].chains.push_back(&chain);
    for (const auto& [to, from] : one->passed) receivers_[from].push_back(to);
  }
  if (is_unclear_) return;
  for (const auto& one : facts_)
    for (const auto& [macro, word] : one->given) add_word(macro, word);
  pass_on(words_of);
  find_pasted_macros(pasting);
}

void Pasting::add_word(Name64 macro, Name64 word) {
  Paster& paster = pasters_[macro];
  if (!paster.words.insert(word).second) return;
  paster.is_pasting = paster.is_pasting || pasting_.contains(word);
  all_.add(word);
  open_.emplace_back(macro, word);
}

// A word goes on to the macros to which the arguments are passed. If it is a macro itself, so does what it expands to.
void Pasting::pass_on(const WordsOf& words_of) {
  while (!open_.empty()) {
    const auto [macro, word] = open_.back();
    open_.pop_back();
    const auto to = receivers_.find(macro);
    if (to != receivers_.end())
      for (const Name64 receiver : to->second) add_word(receiver, word);
    words_of(word, [this, to_macro = macro](Name64 further) { add_word(to_macro, further); });
  }
}

// A pasting macro whose own name is pasted is called with anything, and passes it on.
void Pasting::find_pasted_macros(const std::vector<std::pair<Name64, std::string>>& pasting) {
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const auto& [name, text] : pasting) {
      const auto found = pasters_.find(name);
      const bool is_known = found != pasters_.end() && found->second.is_pasting;
      if (is_known || (found == pasters_.end() && !receivers_.contains(name)) || !may_make(text)) continue;
      std::vector<Name64> changed{name};
      while (!changed.empty()) {
        const Name64 macro = changed.back();
        changed.pop_back();
        if (std::exchange(pasters_[macro].is_pasting, true)) continue;
        has_more = true;
        if (const auto to = receivers_.find(macro); to != receivers_.end())
          changed.insert(changed.end(), to->second.begin(), to->second.end());
      }
    }
  }
}

Pasting::Parts Pasting::parts_of(std::string_view name) const {
  // What predefined macros stand for, beside numbers.
  static const NameSet kValues = [] {
    NameSet values;
    for (const char* one : {"int", "long", "short", "char", "unsigned", "signed",   "float",   "double",
                            "L",   "U",    "UL",    "LL",   "ULL",      "F",        "l",       "u",
                            "ul",  "ll",   "ull",   "f",    "wchar_t",  "__int128", "_Float16"})
      values.insert(name64(one));
    return values;
  }();
  Parts parts(name);
  const std::size_t size = name.size();
  for (std::size_t begin = 0; begin < size; ++begin) {
    for (std::size_t end = begin + 1; end <= size; ++end) {
      if (end - begin == size) continue;  // the name itself is no part of it
      const std::string_view text = name.substr(begin, end - begin);
      const Name64 word = name64(text);
      const bool is_value = std::all_of(text.begin(), text.end(), is_digit) || kValues.contains(word);
      if (is_value || all_.may_hold(word)) parts.words.push_back({begin, end, word, is_value});
    }
  }
  parts.joined.resize(size + 1);
  for (std::size_t begin = size + 1; begin-- > 0;) {
    parts.joined[begin].set(begin);
    for (const Parts::Word& word : parts.words)
      if (word.begin == begin) parts.joined[begin] |= parts.joined[word.end];
  }
  return parts;
}

bool Pasting::may_make(std::string_view name, const NameSet* by) const {
  if (is_unclear_ || name.size() > kLongestName) return true;
  const Parts parts = parts_of(name);
  if (by != nullptr)
    return std::any_of(by->begin(), by->end(), [&](Name64 macro) {
      const auto found = pasters_.find(macro);
      return found != pasters_.end() && makes(found->second, parts);
    });
  return std::any_of(pasters_.begin(), pasters_.end(), [&](const auto& one) { return makes(one.second, parts); });
}

// Any part of a chain may make the name: an argument of several words is joined by its first or last one.
bool Pasting::makes(const Paster& paster, const Parts& name) {
  const std::size_t size = name.text.size();
  for (const PasteFacts::Chain* chain : paster.chains) {
    for (std::size_t first = 0; first + 1 < chain->operands.size(); ++first) {
      Places ends;  // of what the operands so far may make
      ends.set(0);
      for (std::size_t at = first; at < chain->operands.size() && ends.any(); ++at) {
        const std::string& operand = chain->operands[at];
        Places next;
        if (!operand.empty()) {
          for (std::size_t begin = 0; begin + operand.size() <= size; ++begin)
            if (ends.test(begin) && name.text.substr(begin).starts_with(operand)) next.set(begin + operand.size());
        } else {
          next = ends;  // an empty argument
          for (std::size_t begin = 0; paster.is_pasting && begin < size; ++begin)
            if (ends.test(begin)) next |= name.joined[begin];
          for (const Parts::Word& word : name.words)
            if (ends.test(word.begin) && (word.is_value || paster.words.contains(word.name))) next.set(word.end);
        }
        ends = next;
        if (at > first && ends.test(size)) return true;
      }
    }
  }
  return false;
}

}  // namespace hipcache::inputs
