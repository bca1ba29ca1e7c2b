// What the names of one compile lead to: which macros may become a line number, the name of a file, a text, ...
//
// Problem: a macro shows where it is used (assert), and many sources use none such.
// Choice: a fixpoint over names. A macro leads to what its words lead to, and a word leads to what any definition of it
// does, in any file that was read or on the command line, unless a condition around it surely does not hold: a macro
// that nothing defines, or one that the command defines and nothing undefines. A name that may be pasted together (##)
// counts as used.
// Rejected: the preprocessor's output. It costs a front end for each result, and does not say where a token came from.
//
// What is pasted takes most of the time, and is the same for all units whose headers are the same: it depends on the
// sources that have macros or call pasting ones. So it is made once for each set of these (PastingOf).
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_REACH_H
#define HIPCACHE_SRC_INPUTS_TOKENS_REACH_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inputs/tokens/pasting.h"
#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

// A set of Lead.
using Leads = std::uint16_t;

enum Lead : Leads {
  kToPosition = 1,         // a line or a column
  kToCaller = 2,           // the same of whoever calls a function: default arguments
  kToFileName = 4,         // the name of the file or of the source
  kToTypes = 8,            // names of types, with which clang prints where an unnamed type is
  kToTypesOfProject = 16,  // the same, but by a macro of an installed header
  kToText = 32,            // the spelling of an argument
  kToHead = 64,            // a loop or condition, whose body stands behind the macro
  kToPasting = 128,
  kToUnnamed = 256,    // a lambda or an unnamed type begins
  kToUnjudged = 512,   // what no list permits (tokens/judged.h)
  kToAssembly = 1024,  // inline assembly of a text that is not known
  kToPragma = 2048,    // a pragma of the text of an argument
};

struct ReadSource {
  std::string path;
  Digest content = {};
  std::shared_ptr<const SourceNames> names;  // never null
  // An installed header: its macros print names of files and types in messages, and do not measure or hash them.
  bool is_installed = false;
  // Its name may differ from one place of a root to another, so its own uses of its name count, installed or not.
  bool is_in_root = false;
};

// What a source says of macros that paste; null if its text is not to be had. The names are those of its macros and
// words that count.
using PasteFactsOf = std::function<std::shared_ptr<const PasteFacts>(const ReadSource& source, const NameSet& pasting)>;

// What the sources paste together, made before under that key, or made now; null if it cannot be made.
using MakePasting = std::function<std::shared_ptr<const Pasting>()>;
using PastingOf = std::function<std::shared_ptr<const Pasting>(const Digest& key, const MakePasting& make)>;

class Reach {
 public:
  // `command_macros`: what the command line defines, as a source of #defines with its content.
  // `knows_all_macros`: nothing else defines or undefines macros, but for the compiler itself.
  Reach(const std::vector<ReadSource>& sources, ReadSource command_macros, bool knows_all_macros,
        const PasteFactsOf& paste_facts, const PastingOf& pasting_of);

  // What the text of that source leads to, outside of its definitions.
  Leads of_live(const ReadSource& source) const;

  // Whether a macro of any source or of the command has one of these names.
  bool has_macro_among(const std::vector<Name64>& names) const;

  // Whether the name may occur in any of the sources or in the value of another macro.
  bool may_occur(std::string_view name) const;

  // A name in the source that leads there; "" if that is none that has a definition.
  std::string_view example(const SourceNames& source, Leads to) const;

  // The first thing outside of its definitions that is not judged and may count; null if there is none.
  const Unjudged* first_unjudged(const ReadSource& source) const;

 private:
  struct Led {
    Leads leads = 0;
    std::string_view name;
  };

  void add(const ReadSource& source);
  void grow(const ReadSource& source, Name64 from, Leads leads, bool is_leaf);
  // Whether what lies under the guard is surely left out.
  bool is_left_out(const SourceNames& source, std::uint32_t guard) const;
  bool fails(const Guard& guard) const;
  bool is_defined(Name64 macro) const;
  void note(const SourceNames& source, std::uint32_t macro, Leads leads);
  Leads own_live_leads(const ReadSource& source) const;
  Leads by_pasted_leaves() const;
  NameSet pasting_from(const ReadSource& source) const;
  Leads by_pasting(const ReadSource& source) const;
  void words_of(Name64 macro, const std::function<void(Name64)>& take) const;
  void find_pasted(const PasteFactsOf& paste_facts, const PastingOf& pasting_of);
  template <typename Visit>
  void for_each_source(Visit visit) const;

  const std::vector<ReadSource>& sources_;
  const ReadSource command_macros_;
  const bool knows_all_macros_;
  mutable std::unordered_map<Name64, bool> fails_if_defined_, fails_if_undefined_;
  std::unordered_map<Name64, Led> led_;
  LargeFilter defined_;  // the names of all macros
  std::vector<std::pair<Name64, Leads>> open_;
  std::shared_ptr<const Pasting> pasting_;  // null: nothing is pasted
  mutable std::optional<Leads> by_pasted_leaves_;
};

}  // namespace hipcache::inputs

#endif
