// The directory of a random project: its files and links are written, moved, taken away and brought back in all the
// ways in which editors, version control and build tools do that.
//
// What compiles leave (*.o, *.s, *.d, *.dwo) is there but is no part of the project.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_TREE_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_TREE_H

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::fuzz {

struct Entry {
  enum class Kind { directory, file, link };
  Kind kind = Kind::directory;
  std::string text;  // of a file; the target of a link

  auto operator<=>(const Entry&) const = default;
};

using Snapshot = std::map<std::string, Entry>;  // by name below the root

struct Writing {
  bool by_rename = false;   // a new file takes the place of the old one
  bool keeps_time = false;  // the modification time stays what it was
};

class Tree {
 public:
  explicit Tree(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string operator/(std::string_view name) const { return root_ + "/" + std::string(name); }

  Snapshot snapshot() const;
  std::vector<std::string> names(Entry::Kind kind) const;  // sorted
  std::string text(const std::string& name) const;
  bool has(const std::string& name) const;  // also as a dangling link

  // Each makes the directories that are missing. A link to a place outside of the tree is replaced, never followed.
  void write(const std::string& name, const std::string& text, const Writing& how = {}) const;
  void link(const std::string& name, const std::string& target) const;
  void hard_link(const std::string& name, const std::string& existing) const;
  void move(const std::string& from, const std::string& to) const;
  void remove(const std::string& name) const;  // with all below
  void touch(const std::string& name, bool to_the_past) const;

  // What differs from the snapshot is made equal to it; the rest is not touched.
  void restore(const Snapshot& snapshot, const Writing& how) const;
  void remove_outputs() const;

  // Equal for equal states, as far as a compile can tell them apart. Files whose names begin with "unrelated" are left
  // out, and modification times, but for one thing: which of several equal files are the same file or of the same time,
  // for that is part of what hipcache proves (docs/internals/proof.md: "compared further").
  Digest state() const;

 private:
  std::string root_;
};

}  // namespace hipcache::fuzz

#endif
