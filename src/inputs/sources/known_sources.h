// Tokens and names of source files, remembered by the digests of their contents.
#ifndef HIPCACHE_SRC_INPUTS_SOURCES_KNOWN_SOURCES_H
#define HIPCACHE_SRC_INPUTS_SOURCES_KNOWN_SOURCES_H

#include <memory>
#include <optional>
#include <string>

#include "hipcache/inputs/effort.h"
#include "hipcache/inputs/path_set.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

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

}  // namespace hipcache::inputs

#endif
