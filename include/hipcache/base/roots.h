// The directories of one request that differ from checkout to checkout and from build to build, and stand for
// themselves: base directories (HIPCACHE_BASEDIR), build directories, and the directory of a toolchain. What lies in
// one of them has one name everywhere.
//
// The problem: CI and worktrees compile equal sources in different directories, a project has several build
// directories, and CMake names everything absolutely. The choice: where hipcache compares names, a root in them is
// replaced by a token that no file name or argument holds; of roots in one another the longest counts. The commands
// that run, and what they write, are never touched. Whether a result may be used elsewhere is decided by looking into
// it and into what it was made of (shown_in). Rejected: ccache's rewriting of the command line to relative paths, which
// changes the object; one root alone, as neither a build directory nor a checkout may have to be the same.
//
// A root has its real path, and may have an alias that leads there (a symbolic link). Both are replaced by one token.
// A result that a root is tied to may show by which name it was called: form() says which ones the request used.
//
// Only whole mentions are replaced, where the directory can be nothing else: "/b" in "/b/x", and in
// "-fdebug-prefix-map=/b=.", not in "/bc", nor in "lib/b". By spelling: links are not followed. Once made it is
// immutable, and safe to share between threads.
#ifndef HIPCACHE_BASE_ROOTS_H
#define HIPCACHE_BASE_ROOTS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache {

// Some of the roots: bit i is roots.all()[i].
using RootMask = std::uint32_t;

inline constexpr const char* kBaseMark = "base";            // the first base directory; then "base2", "base3", ...
inline constexpr const char* kBuildMark = "build";          // the nearest build directory
inline constexpr const char* kOuterBuildMark = "builds";    // the topmost one, where that is another
inline constexpr const char* kToolchainMark = "toolchain";  // where the compiler is installed, with what is its own
inline constexpr const char* kOutputRootMark = "outputs";   // the output's own, where the id is made (plan/cuid.h)

struct Root {
  std::string mark;
  std::string path;   // real, without a slash at its end
  std::string alias;  // another name of it, or ""
  std::string form;   // by which names the request called it; "" where it has one
};

class Roots {
 public:
  static constexpr std::size_t kMost = 16;

  Roots() = default;  // none: every name stays as it is
  explicit Roots(std::string_view base);

  // Made normal. Nothing is added for what is relative, the root of all, a root already, or holds characters that a
  // token or a compiler's output would have to escape; nor past kMost.
  void add(std::string_view mark, std::string_view path, std::string_view alias = "");

  // Takes down by which names the roots are called in these arguments and in the working directory as PWD has it. Last,
  // after all have been added.
  void note_forms(const std::vector<std::string>& arguments, std::string_view logical_directory);

  bool empty() const { return roots_.empty(); }
  const std::vector<Root>& all() const { return roots_; }
  RootMask every() const { return static_cast<RootMask>((std::uint64_t{1} << roots_.size()) - 1); }
  const Root* find(std::string_view mark) const;
  // Two of equal ids give equal names.
  const std::string& id() const { return id_; }

  // What people call the root of that mark: "base directory", "build directory".
  static std::string name_of(std::string_view mark);

  // The mark of the token that a text begins with, or "".
  static std::string_view mark_in_front(std::string_view text);

  // Whether a text could be mistaken for a portable one.
  static bool holds_token(std::string_view text) { return text.find('\x01') != std::string_view::npos; }

  std::string portable_path(std::string_view path) const;
  // A compiler's argument: a path, or paths after '='.
  std::string portable_argument(std::string_view argument) const;
  // A variable's value: a path, or a list of them parted by ':'. Aliases count as names of their own.
  std::string portable_list(std::string_view value) const;

  // The path that a portable one stands for here; "" if it needs a root that is not here.
  std::string local_path(std::string_view portable) const;
  // A path by the root's real name, where it has the alias.
  std::string real_spelling(std::string_view path) const;

  // A portable path or argument as it reads here: for messages.
  std::string local_text(std::string_view portable) const;

  // The longest root that the path lies in, by either name; 0 if there is none.
  RootMask holding(std::string_view path) const;
  const Root* around(std::string_view path) const;  // the same
  // Those that the bytes mention in any way, by either name.
  RootMask shown_in(std::string_view bytes) const;
  // Those that a text names for a reader who takes no names apart: "/b" in "/b/x" and in "'/b'", not in "/b.sources".
  // In what is no text, names may stand one behind the other, so all mentions count.
  RootMask named_in_text(std::string_view text) const;

 private:
  struct Name {
    std::string text;
    std::size_t root = 0;
    bool is_alias = false;
  };
  enum class Aliases : std::uint8_t { as_the_root, apart };

  const Name* name_at(std::string_view text, std::string_view after) const;
  std::string with_tokens(std::string_view text, std::string_view before, std::string_view after,
                          Aliases aliases) const;

  std::vector<Root> roots_;
  std::vector<Name> names_;  // the longest first
  std::string id_;
};

}  // namespace hipcache

#endif
