// Reads a C-family text into tokens, as every compiler in every language mode does.
//
// Problem: clang and gcc see tokens, not bytes. A comment or a blank changes the bytes of a file, and mostly nothing
// else.
// Choice: the scanner names what it *permits*: printable ASCII, tabs and newlines; other characters in comments and
// literals; a backslash that joins lines of a macro's definition or of a condition. Whatever else a text has makes its
// digests those of its bytes, and where the words of the text may be other ones to some compiler, its names unknown.
// Signs are kept one by one, with whether the next one follows without a blank and may make one token with it in any
// language (">>", "::", "<:"). In a macro's definition each blank counts, because the text may be spelled or compared.
// So equal sequences are equal tokens for each compiler, and the digest of a file is one value, remembered with its
// content. What a comment can cause by itself stays: "/*" within one, a backslash at its end, bytes beyond ASCII, and
// what gcc takes for a remark on a fall through. Rejected: a list of what compilers read in two ways; each outside test
// found more of it. Rejected: clang's own lexer. It answers for one language of one compiler, so the digest would
// depend on the command, and gcc's units would be proved by another compiler's rules. The tests compare this scanner
// with it, and tools/corpus compares what comes of it with the compilers.
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

// Hands the units of the text to the reader.
void read_units(std::string_view text, UnitReader& reader);

}  // namespace hipcache::inputs

#endif
