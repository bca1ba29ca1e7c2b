// Reads HIP compiles, and links of relocatable device code, with clang's own options: the kind
// of compile that is split.
#ifndef HIPCACHE_COMPILER_PARSER_H
#define HIPCACHE_COMPILER_PARSER_H

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"

namespace hipcache::compiler {

// Thread-safe; the option table is built once.
class Parser final : public Kind {
 public:
  Parser();
  ~Parser() override;
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // argv[0] is the compiler. Reads response files relative to `working_directory`.
  std::variant<Invocation, Uncacheable> parse(const std::vector<std::string>& argv,
                                              const std::string& working_directory) const;

  // As parse(), and leaves compiles whose id must stay the compiler's own to the next kind.
  std::variant<Invocation, Uncacheable> read(const Command& command) const override;

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace hipcache::compiler

#endif
