// Roots: the directories of one request that differ between checkouts and between builds. They are
// the base directories (HIPCACHE_BASEDIR), build directories and a toolchain's directory. A path
// below a root has the same portable name in every checkout.
//
// Problem: CI and worktrees compile equal sources in different directories, a project has several
// build directories, and CMake uses absolute names everywhere.
// Choice: where hipcache compares names, it replaces a root by a token that no file name or
// argument can contain. If roots are nested, the longest counts. Commands and their outputs are
// never changed. Whether a result may be used elsewhere is decided by searching it, and the inputs
// it was made from, for root names (shown_in).
// Rejected: ccache's rewriting of the command line to relative paths, which changes the object; a
// single root, because build directory and checkout may differ independently.
//
// A root has a real path, and may have an alias that leads there (a symbolic link). Both are
// replaced by the same token. A result that works for one root only may show which of the names was
// used; form() records the names that the request used.
//
// Only mentions that must mean the directory are replaced: "/b" in "/b/x" and in
// "-fdebug-prefix-map=/b=.", but not in "/bc" or "lib/b". Works by spelling: links are not
// followed. Immutable once made; safe to share between threads.
#ifndef HIPCACHE_BASE_ROOTS_H
#define HIPCACHE_BASE_ROOTS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache {

// A set of roots: bit i is roots.all()[i].
using RootMask = std::uint32_t;

inline constexpr const char* kBaseMark = "base";          // then "base2", "base3", ...
inline constexpr const char* kBuildMark = "build";        // the nearest build directory
inline constexpr const char* kOuterBuildMark = "builds";  // the topmost one, if it is another
// Where the compiler and its own files are installed.
inline constexpr const char* kToolchainMark = "toolchain";
// Where hipcc unpacked an archive; then "unpacked2", ...
inline constexpr const char* kUnpackedMark = "unpacked";
// The output's own root, used for the CUID (compiler/hip/cuid.h).
inline constexpr const char* kOutputRootMark = "outputs";

// Whether a text names a directory or something in it: "/b" in "-I/b/x", "/b:/c" and "'/b'", not in "/bc" or "/b.d".
// Nothing names "/".
bool mentions_directory(std::string_view text, std::string_view directory);

struct Root {
  std::string mark;
  std::string path;   // resolved, without a slash at its end
  std::string alias;  // another name for it, or ""
  std::string form;   // the names that the request used; "" if there is only one

  // By which names the request calls it. Equal for a root that has one name and one of two that is called by its path.
  std::string_view called() const;
};

class Roots {
 public:
  static constexpr std::size_t kMost = 16;

  Roots() = default;  // no roots: every name stays as it is
  explicit Roots(std::string_view base);

  // Adds the normalised path. Ignores a path that is relative, "/" or already a root. Ignores a
  // path with characters that a token or a compiler's output would have to escape. Ignores roots
  // past kMost.
  void add(std::string_view mark, std::string_view path, std::string_view alias = "");

  // Records by which names the arguments and PWD (`logical_directory`) call the roots. Call it
  // last, after all roots have been added.
  void note_forms(const std::vector<std::string>& arguments, std::string_view logical_directory);

  bool empty() const { return roots_.empty(); }
  const std::vector<Root>& all() const { return roots_; }
  RootMask every() const { return static_cast<RootMask>((std::uint64_t{1} << roots_.size()) - 1); }
  const Root* find(std::string_view mark) const;
  // Roots with equal ids give equal portable names.
  const std::string& id() const { return id_; }

  // What people call the root of that mark: "base directory", "build directory".
  static std::string name_of(std::string_view mark);

  // The mark of the token at the start of the text, or "".
  static std::string_view mark_in_front(std::string_view text);

  // Whether a text could be mistaken for a portable one.
  static bool holds_token(std::string_view text) { return text.find('\x01') != std::string_view::npos; }

  std::string portable_path(std::string_view path) const;
  // A compiler's argument: a path, or paths after '='.
  std::string portable_argument(std::string_view argument) const;
  // A variable's value: a path, or a list of paths separated by ':'. Aliases have tokens of their
  // own.
  std::string portable_list(std::string_view value) const;

  // A name as a text shows it to people and tools: aliases have tokens of their own. It holds where the roots are
  // called() alike.
  std::string portable_name(std::string_view name) const;
  // A text into which such names may be put: it is never taken for a token. local_text() has it as it was.
  static std::string escaped(std::string text);
  // The roots whose tokens the text has.
  RootMask tokens_in(std::string_view text) const;

  // The local path of a portable one; "" if it needs a root, or an alias, that this request lacks.
  std::string local_path(std::string_view portable) const;
  // Replaces an alias by the real path of its root.
  std::string real_spelling(std::string_view path) const;

  // A portable path or argument in local form, or an escaped text with such names.
  std::string local_text(std::string_view portable) const;

  // The longest root that contains the path, by either name; 0 if there is none.
  RootMask holding(std::string_view path) const;
  const Root* around(std::string_view path) const;  // the same
  // The roots that the bytes mention in any way, by either name.
  RootMask shown_in(std::string_view bytes) const;
  // The roots that any of the arguments names.
  RootMask shown_in_any(const std::vector<std::string>& arguments) const;
  // The roots that a text names as mentions_directory() does. In binary data all mentions count, because names may
  // follow each other without a separator.
  RootMask named_in_text(std::string_view text) const;
  // The text with "<base>" and the like for each name of a root that ends there: for the CUID, which is hashed.
  std::string with_marks(std::string text) const;

  // The roots with a name, path or alias, that passes the test.
  template <typename Test>
  RootMask whose_name(const Test& test) const {
    RootMask passed = 0;
    for (const Name& name : names_)
      if (test(name.text)) passed |= RootMask{1} << name.root;
    return passed;
  }
  // The set of this root alone. REQUIRES: it is one of all().
  RootMask mask_of(const Root& root) const { return RootMask{1} << (&root - roots_.data()); }
  // The roots of the set, in order.
  std::vector<const Root*> among(RootMask roots) const;

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
