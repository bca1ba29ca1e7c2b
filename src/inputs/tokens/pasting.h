// Which names the macros of one compile may paste together (##).
//
// Problem: a macro may be used by a name that no file has: LAYOUT(N, H, W, C) makes NHWC. A name that may be pasted
// counts as used.
// Choice: what the arguments of each pasting macro may hold, and how the macro joins them. The words of an argument
// are those between the parentheses of the call, and whatever macros among them expand to; one set for all arguments
// of a macro, because an argument may expand to several. A name is pasted if the operands of some macro's ## make it,
// however many they are: words of the macro itself, words of its arguments, numbers (of predefined macros, lines and
// counters), the few words that predefined macros stand for, and names that are pasted themselves where a pasting
// macro is among the arguments. Where a call has no end within its macro, every name may be pasted.
// Rejected: any word beside any other. HIP's headers have "__", and "FILE". Rejected: limits for pieces and letters:
// layouts of tensors are pasted letter by letter.
//
// Used by one thread.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_PASTING_H
#define HIPCACHE_SRC_INPUTS_TOKENS_PASTING_H

#include <cstdint>
#include <functional>
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

// What the sources say of other macros.
struct MacroBodies {
  // Calls with each word of each definition of the macro.
  std::function<void(Name64 macro, const std::function<void(Name64)>& take)> words_of;
  // Calls with the name of each macro that has the word in its body.
  std::function<void(Name64 word, const std::function<void(std::string_view)>& take)> macros_with;
};

class Pasting {
 public:
  Pasting(const std::vector<const PasteFacts*>& facts, const std::vector<std::pair<Name64, std::string>>& pasting,
          MacroBodies bodies);

  // Whether the name may be made of at least two operands.
  bool may_make(std::string_view name) const;

 private:
  struct Arguments {
    NameSet words;
    bool has_pasting = false;  // a macro that pastes is among them
  };

  void pass_on();
  void add_word(Name64 macro, Name64 word);
  void add_pasted_macros(const std::vector<std::pair<Name64, std::string>>& pasting);
  bool makes(const PasteFacts::Chain& chain, std::string_view name) const;
  bool may_hold(const Arguments& arguments, std::string_view word) const;
  // Whether the word is in what a pasted name expands to.
  bool may_come_of_pasted(std::string_view word) const;

  MacroBodies bodies_;
  std::unordered_map<Name64, bool> pasting_;  // whether its arguments are known to be used
  std::vector<const PasteFacts::Chain*> chains_;
  std::unordered_map<Name64, Arguments> arguments_;
  std::unordered_map<Name64, std::vector<Name64>> receivers_;  // of the arguments of a macro
  std::vector<std::pair<Name64, Name64>> open_;
  bool is_unclear_ = false;
  mutable std::unordered_map<Name64, bool> made_, come_;
};

}  // namespace hipcache::inputs

#endif
