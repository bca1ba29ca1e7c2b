// The files that one compile read, and what their names lead to.
#ifndef HIPCACHE_SRC_INPUTS_SOURCES_SOURCE_USE_H
#define HIPCACHE_SRC_INPUTS_SOURCES_SOURCE_USE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hipcache/inputs/file_clock.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/tokens/reach.h"
#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

// Tokens and names of source files, remembered by the digests of their contents.

// Larger files are data. Their tokens are their bytes, and their names are not known. The largest header seen,
// rocRAND's table of direction vectors, has 26 MB.
inline constexpr std::uint64_t kLargestText = 64u << 20;

// `content`: the digest of the file's bytes. nullopt if the file cannot be read or has other bytes by now.
std::optional<TokenDigests> token_digests(const std::string& path, const Digest& content, FileSystemMemo& memo,
                                          Effort& effort);

// REQUIRES: the question is one about tokens.
const Digest& answer_to(Question question, const TokenDigests& digests);

// The digest of a regular file's content; nullopt for everything else.
std::optional<Digest> content_of(const std::string& path, FileSystemMemo& memo);

// Null if the file cannot be read or has other bytes by now.
std::shared_ptr<const SourceNames> names_in_source(const std::string& path, const Digest& content,
                                                   FileSystemMemo& memo);

// A regular file whose content is asked for.
struct ReadFile {
  std::size_t observation = 0;  // its index
  std::string path;             // absolute
  Digest content;
  std::size_t source = kNoSource;  // index in SourceUse::sources()
  bool is_own_of_toolchain = false;
  RootMask root = 0;  // the longest root around it, by its name in the observation

  static constexpr std::size_t kNoSource = ~std::size_t{0};
  bool is_text() const { return source != kNoSource; }
};

// The macros that a command defines, as a source of #defines; one whose names are not known if the command has them
// elsewhere.
struct CommandMacros {
  std::string text;
  std::shared_ptr<const SourceNames> names;
};
CommandMacros macros_of_command(const std::vector<std::string>& arguments);

// Made once for each run. Reads files that were not scanned yet.
class SourceUse {
 public:
  // Whether the arguments are all that decides which macros are defined: no script or wrapper adds some.
  enum class Command : std::uint8_t { is_whole, may_lack_options };

  // `arguments`: of the command, which may define macros.
  SourceUse(const std::vector<Observation>& observations, const RunContext& from,
            const std::vector<std::string>& arguments, Command command, FileSystemMemo& memo);
  SourceUse(const SourceUse&) = delete;
  SourceUse& operator=(const SourceUse&) = delete;

  const std::vector<ReadFile>& files() const { return files_; }
  const std::vector<ReadSource>& sources() const { return sources_; }
  const Reach& reach() const { return *reach_; }
  // What a file's text leads to outside of its definitions. REQUIRES: is_text().
  Leads leads(const ReadFile& file) const { return leads_[file.source]; }
  // Whether a lambda or an unnamed type may begin in it. REQUIRES: is_text().
  bool may_begin_unnamed(const ReadFile& file) const;
  // What some file that is not installed leads to.
  Leads leads_of_project() const { return of_project_; }
  // A function of some header may ask where it is called from.
  bool asks_callers() const { return asks_callers_; }
  // Why there may be names beside those that were found: a precompiled header, an odd text; "" if there are none.
  const std::string& unknown_by() const { return unknown_by_; }
  bool has_unknown_names() const { return !unknown_by_.empty(); }
  // What some source has that no list permits: "/b/a.h:12 has #pragma x"; "" if there is nothing.
  const std::string& unjudged() const { return unjudged_; }
  // A file of further options was read: clang's configuration, gcc's specs.
  bool reads_options() const { return reads_options_; }
  // gcc names no places in the names of types.
  bool is_by_gcc() const { return is_by_gcc_; }

 private:
  void add(std::size_t index, const Observation& observation, const RunContext& from);
  void not_known(std::string why);
  void note_unjudged(const ReadSource& source, Leads leads);
  std::shared_ptr<const PasteFacts> paste_facts_of(const ReadSource& source, const NameSet& pasting) const;
  std::shared_ptr<const Pasting> pasting_of(const Digest& key, const MakePasting& make) const;

  FileSystemMemo& memo_;
  std::vector<ReadFile> files_;
  std::vector<ReadSource> sources_;
  CommandMacros command_macros_;
  std::unique_ptr<Reach> reach_;
  std::vector<Leads> leads_;
  Leads of_project_ = 0;
  std::string unknown_by_;
  std::string unjudged_;
  bool is_by_gcc_ = false;
  bool reads_options_ = false;
  bool asks_callers_ = false;
};

}  // namespace hipcache::inputs

#endif
