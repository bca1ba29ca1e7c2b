// Reads a C-family text into tokens, as every compiler in every language mode does.
//
// Problem: clang and gcc see tokens, not bytes. A comment or a blank changes the bytes of a file, and mostly nothing
// else.
// Choice: the scanner finds comments, literals, words and signs. Where compilers or languages may disagree
// about these (trigraphs, a splice within a word, a literal without its end beside a comment, zero bytes, line ends of
// old Macs), the digests are those of the bytes. Signs are kept one by one, with whether the next one follows without
// a space and may make one token with it in any language (">>", "::", "<:"). So equal sequences are equal tokens for
// each compiler, and the digest of a file is one value, remembered with its content. What a comment can cause by itself
// stays: "/*" within one, a backslash at its end, bytes that are no UTF-8, characters that change the direction of
// text, and what gcc takes for a remark on a fall through. Rejected: clang's own lexer. It answers for one language of
// one compiler, so the digest would depend on the command, and gcc's units would be proved by another compiler's rules.
// The tests compare this scanner with it.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_SCAN_H
#define HIPCACHE_SRC_INPUTS_TOKENS_SCAN_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

enum class Wanted : std::uint8_t { names, digests, both };

// Reads the text in one pass: about 5 ms for a megabyte. Takes any bytes.
// `lines`: gets the line of each token.
SourceText scan_source(std::string_view text, Wanted wanted, std::vector<std::uint64_t>* lines = nullptr);

}  // namespace hipcache::inputs

#endif
