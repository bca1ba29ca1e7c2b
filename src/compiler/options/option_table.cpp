#include "compiler/options/option_table.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/Option/Option.h>

#include <cstddef>
#include <iterator>

// Each LLVM has another form of a table. GROUP and OPTION make a row of each form.
#define GROUP(id, name, group) OPTION(none, name, id, Group, group, INVALID, nullptr, 0, 0)

namespace hipcache::compiler {
namespace {

using namespace options;
using llvm::opt::Option;

#if LLVM_VERSION_MAJOR >= 20
using Table = llvm::opt::GenericOptTable;

// Names are offsets into one run of characters.
struct Names {
  char empty[1] = "";
  char dash[2] = "-";
  char dash_dash[3] = "--";
#define OPTION(prefixes, spelling, id, kind, group, alias, values, flags, count) \
  char of_##id[sizeof(spelling)] = spelling;
#include "compiler/options/clang_options.inc"
#undef OPTION
};
constexpr Names kNames;

// Of each set their number, then the prefixes. A row has the place of its set.
const llvm::StringTable::Offset kPrefixes[] = {
    0, 1, offsetof(Names, dash), 1, offsetof(Names, dash_dash), 2, offsetof(Names, dash), offsetof(Names, dash_dash)};
constexpr unsigned none = 0, dash = 1, dash_dash = 3, both = 5;

#define HIPCACHE_NAMED(prefixes, spelling, id) prefixes, offsetof(Names, of_##id), nullptr, {}, nullptr
#define HIPCACHE_VISIBLE(flags) flags, ~0U

#elif LLVM_VERSION_MAJOR >= 16
using Table = llvm::opt::GenericOptTable;

constexpr llvm::StringLiteral kPrefixes[] = {"-", "--"};
constexpr llvm::ArrayRef<llvm::StringLiteral> none, dash(kPrefixes, 1), dash_dash(kPrefixes + 1, 1), both(kPrefixes, 2);

#if LLVM_VERSION_MAJOR >= 19
#define HIPCACHE_NAMED(prefixes, spelling, id) prefixes, spelling, nullptr, {}, nullptr
#elif LLVM_VERSION_MAJOR >= 17
#define HIPCACHE_NAMED(prefixes, spelling, id) prefixes, spelling, nullptr, nullptr
#else
#define HIPCACHE_NAMED(prefixes, spelling, id) \
  prefixes, llvm::StringRef(spelling).drop_front(prefixes.empty() ? 0 : prefixes[0].size()), nullptr, nullptr
#endif
#if LLVM_VERSION_MAJOR >= 18
#define HIPCACHE_VISIBLE(flags) flags, ~0U
#else
#define HIPCACHE_VISIBLE(flags) flags
#endif

#else
using Table = llvm::opt::OptTable;

constexpr const char* none[] = {nullptr};
constexpr const char* dash[] = {"-", nullptr};
constexpr const char* dash_dash[] = {"--", nullptr};
constexpr const char* both[] = {"-", "--", nullptr};

constexpr std::size_t length_of_first(const char* const* prefixes) {
  return prefixes[0] == nullptr ? 0 : std::char_traits<char>::length(prefixes[0]);
}

#define HIPCACHE_NAMED(prefixes, spelling, id) prefixes, &(spelling)[length_of_first(prefixes)], nullptr, nullptr
#define HIPCACHE_VISIBLE(flags) flags
#endif

const llvm::opt::OptTable::Info kRows[] = {
#define OPTION(prefixes, spelling, id, kind, group, alias, values, flags, count) \
  {HIPCACHE_NAMED(prefixes, spelling, id),                                       \
   OPT_##id,                                                                     \
   Option::kind##Class,                                                          \
   count,                                                                        \
   HIPCACHE_VISIBLE(flags),                                                      \
   OPT_##group,                                                                  \
   OPT_##alias,                                                                  \
   values,                                                                       \
   nullptr},
#include "compiler/options/clang_options.inc"
#undef OPTION
};

class ClangTable : public Table {
 public:
#if LLVM_VERSION_MAJOR >= 20
  ClangTable() : Table(names(), kPrefixes, kRows) {}

 private:
  static const llvm::StringTable& names() {
    static const llvm::StringTable table(reinterpret_cast<const char(&)[sizeof(Names)]>(kNames));
    return table;
  }
#else
  ClangTable() : Table(kRows) {}
#endif
};

}  // namespace

const llvm::opt::OptTable& option_table() {
  static const ClangTable table;
  return table;
}

std::string spelled(const llvm::opt::Option& option) {
  return std::string(option.getPrefix()) + std::string(option.getName());
}

}  // namespace hipcache::compiler
