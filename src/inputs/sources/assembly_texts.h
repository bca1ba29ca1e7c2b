// Whether sources may have a certain inline assembly of their own.
//
// Problem: clang writes into bitcode where a statement's text begins ("srcloc"), so an edit before it is another
// output. The same stands there for the assembly of a library that clang links, and no edit of a source changes that.
// Choice: an output's assembly is the library's if the library has the same texts, operands and places, and no source
// can have such a text. A place that is not in the expansion of a macro is that of the first literal's quote, in the
// text of a file, outside of definitions. (Places in macros have the highest of 32 bits, and no library's place that
// counts has it.) So each quote of each file that was read is compared with the beginning of the text: from there, a
// literal may be closed and another one may follow, which a macro may make. clang from 20 on also takes a text that is
// computed, asm((...)), and then has the place of the word "asm". So no file that uses that word may have anything but
// a literal behind it. Rejected: the places alone. The source of another library may have the same number.
#ifndef HIPCACHE_SRC_INPUTS_SOURCES_ASSEMBLY_TEXTS_H
#define HIPCACHE_SRC_INPUTS_SOURCES_ASSEMBLY_TEXTS_H

#include <string>
#include <string_view>
#include <vector>

#include "inputs/sources/source_use.h"
#include "inputs/state/file_system_memo.h"

namespace hipcache::inputs {

// Whether a literal with which such a text begins may stand in the source. "" begins every text.
bool may_begin_literal(std::string_view source, std::string_view text);

// Whether some file that was read may have inline assembly with one of these texts, at a place outside of macros, or
// assembly whose text it computes. Reads files that were not searched for these texts yet.
bool may_have_assembly(const SourceUse& use, const std::vector<std::string>& texts, FileSystemMemo& memo);

}  // namespace hipcache::inputs

#endif
