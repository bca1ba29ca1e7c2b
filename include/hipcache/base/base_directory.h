// The directory of a checkout (HIPCACHE_BASEDIR): what lies in it has one name in every checkout.
//
// The problem: CI and worktrees compile equal sources in different directories, and CMake names everything absolutely.
// The choice: where hipcache compares names, the base directory in them is replaced by a token that no file name or
// argument holds. The commands that run, and what they write, are never touched; whether a result may be used elsewhere
// is decided by looking into it (shows_in). Rejected: ccache's rewriting of the command line to relative paths, which
// changes the object.
//
// Only whole mentions count, where the directory can be nothing else: "/b" in "/b/x", and in "-fdebug-prefix-map=/b=.",
// not in "/bc", nor in "lib/b". By spelling: links are not followed. Immutable; safe to share between threads.
#ifndef HIPCACHE_BASE_BASE_DIRECTORY_H
#define HIPCACHE_BASE_BASE_DIRECTORY_H

#include <string>
#include <string_view>

namespace hipcache {

class BaseDirectory {
 public:
  BaseDirectory() = default;  // none: every name stays as it is
  // Made normal. None for what is relative, the root, or holds characters that a token or a compiler's output would
  // have to escape.
  explicit BaseDirectory(std::string_view directory);

  bool is_set() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  // The token can stand in for the directory only in names that do not hold it already.
  static bool holds_token(std::string_view text);

  std::string portable_path(std::string_view path) const;
  // A compiler's argument: a path, or paths after '='.
  std::string portable_argument(std::string_view argument) const;
  // A variable's value: a path, or a list of them parted by ':'.
  std::string portable_list(std::string_view value) const;

  // The path that a portable one stands for here; "" if it needs a base directory and there is none.
  std::string local_path(std::string_view portable) const;

  // A portable path or argument as it reads here: for messages.
  std::string local_text(std::string_view portable) const;

  // Whether the bytes mention the directory in any way.
  bool shows_in(std::string_view bytes) const;

 private:
  std::string with_token(std::string_view text, std::string_view before, std::string_view after) const;

  std::string path_;
};

}  // namespace hipcache

#endif
