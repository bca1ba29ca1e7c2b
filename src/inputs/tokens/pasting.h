// Which names the macros of one compile may paste together (##).
//
// Problem: a macro may be used by a name that no file has: LAYOUT(N, H, W, C) makes NHWC. A name that may be pasted
// counts as used.
// Choice: what the arguments of each pasting macro may hold, and how the macro joins them. The words of an argument
// are those between the parentheses of the call, and whatever macros among them expand to; one set for all arguments
// of a macro, because an argument may expand to several. A name is pasted if the operands of some macro's ## make it,
// however many they are: words of the macro itself, words of its arguments, numbers (of predefined macros, lines and
// counters), and the few words that predefined macros stand for. Where a pasting macro is among the arguments, or the
// macro's own name may be pasted, an operand is any row of words that some macro has. Where a call has no end within
// its macro, every name may be pasted.
// Rejected: any word beside any other. HIP's headers have "__", and "FILE". Rejected: limits for pieces and letters:
// layouts of tensors are pasted letter by letter.
//
// A Pasting does not change, and may be used by several threads.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_PASTING_H
#define HIPCACHE_SRC_INPUTS_TOKENS_PASTING_H

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

using NameSet = std::unordered_set<Name64>;

// What one text says of pasting macros. Depends on which names are such macros.
struct PasteFacts {
  struct Chain {
    Name64 macro = 0;
    std::vector<std::string> operands;  // of one ## after the other; "" is a parameter
  };
  std::vector<Chain> chains;
  std::vector<std::pair<Name64, Name64>> given;   // the arguments of the first, a macro, may hold the second, a word
  std::vector<std::pair<Name64, Name64>> passed;  // the arguments of the first may hold those of the second
  bool is_unclear = false;                        // a call begins in a macro and ends elsewhere
};

// `pasting`: the names of macros that paste, or use one that does.
PasteFacts paste_facts(std::string_view text, const NameSet& pasting);

// A large set of names that says "no" or "perhaps". Quick to make, for a set that lives as long as one question.
class LargeFilter {
 public:
  LargeFilter() : words_(kWords) {}
  void add(Name64 name) {
    for (const Name64 bit : {name % kBits, (name >> 32) % kBits}) words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  bool may_hold(Name64 name) const {
    const auto has = [&](Name64 bit) { return (words_[bit / 64] >> (bit % 64) & 1) != 0; };
    return has(name % kBits) && has((name >> 32) % kBits);
  }

 private:
  static constexpr std::size_t kBits = std::size_t{1} << 22;
  static constexpr std::size_t kWords = kBits / 64;
  std::vector<std::uint64_t> words_;
};

class Pasting {
 public:
  // Calls with each word of each definition of the macro.
  using WordsOf = std::function<void(Name64 macro, const std::function<void(Name64)>& take)>;

  // Of which nothing is known: every name may be made.
  Pasting() : is_unclear_(true) {}
  // `pasting`: the macros that paste, or use one that does. `all`: at least the words of all macros. Nothing in `facts`
  // is null.
  Pasting(std::vector<std::shared_ptr<const PasteFacts>> facts,
          const std::vector<std::pair<Name64, std::string>>& pasting, LargeFilter all, const WordsOf& words_of);

  // Whether the name may be made of at least two operands. `by`: by one of these macros; null: by any.
  bool may_make(std::string_view name, const NameSet* by = nullptr) const;

 private:
  static constexpr std::size_t kLongestName = 127;  // every longer name may be pasted
  using Places = std::bitset<kLongestName + 1>;

  // What one macro joins.
  struct Paster {
    std::vector<const PasteFacts::Chain*> chains;  // of facts_
    NameSet words;                                 // what its arguments may hold
    bool is_pasting = false;                       // they may hold what other macros paste, and what comes of that
  };

  // The parts of a name that are words of macros or arguments, and what these make.
  struct Parts {
    explicit Parts(std::string_view name) : text(name) {}
    struct Word {
      std::size_t begin = 0, end = 0;
      Name64 name = 0;
      bool is_value = false;  // a number, or what a predefined macro stands for
    };
    std::string_view text;
    std::vector<Word> words;
    std::vector<Places> joined;  // by the beginning: where what several words make may end
  };

  Parts parts_of(std::string_view name) const;
  void add_word(Name64 macro, Name64 word);
  void pass_on(const WordsOf& words_of);
  void find_pasted_macros(const std::vector<std::pair<Name64, std::string>>& pasting);
  static bool makes(const Paster& paster, const Parts& name);

  std::vector<std::shared_ptr<const PasteFacts>> facts_;
  LargeFilter all_;
  std::unordered_map<Name64, Paster> pasters_;                 // by the macro, or by around() of it
  std::unordered_map<Name64, std::vector<Name64>> receivers_;  // of the arguments of a macro
  NameSet pasting_;
  std::vector<std::pair<Name64, Name64>> open_;
  bool is_unclear_ = false;
};

}  // namespace hipcache::inputs

#endif
