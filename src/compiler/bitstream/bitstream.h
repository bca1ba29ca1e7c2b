// Walks over the records of a file in LLVM's bit stream, of any version of LLVM: a module's bitcode, a precompiled
// header.
//
// The bytes may be damaged: another process may still be writing the file. LLVM 19 reports that as an error, and five
// million damaged headers under the sanitizers found nothing else. The readers of LLVM 15 and 16 end the process
// (report_fatal_error), so they are too old (cmake/HipcacheLLVM.cmake). tests/compiler/ast_file_test.cpp damages files.
#ifndef HIPCACHE_SRC_COMPILER_BITSTREAM_BITSTREAM_H
#define HIPCACHE_SRC_COMPILER_BITSTREAM_BITSTREAM_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitstream/BitstreamReader.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace hipcache::compiler {

struct BitRecord {
  unsigned block = 0;
  unsigned depth = 0;  // of the block; the outermost has 0
  unsigned code = 0;
  llvm::SmallVector<std::uint64_t, 64> operands;
  std::string_view blob;
  // The bit at which its code begins, behind that of the abbreviation; nothing if it has an abbreviation.
  std::optional<std::uint64_t> unabbreviated_at;
};

// What is done with each block and record. false ends the walk.
class BitVisitor {
 public:
  virtual ~BitVisitor() = default;
  // Whether the walk leaves out the block.
  virtual bool skips(unsigned /*block*/) { return false; }
  virtual void begin(unsigned block, unsigned depth) = 0;
  virtual void end(unsigned block, unsigned depth) = 0;
  virtual bool take(BitRecord& record) = 0;
};

// The value, or nothing; consumes the error, which LLVM requires to be checked.
template <typename T>
std::optional<T> value_of(llvm::Expected<T> expected) {
  if (expected) return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

// A cursor over all of the bytes.
inline llvm::BitstreamCursor cursor_over(std::string_view bytes) {
  return llvm::BitstreamCursor(
      llvm::ArrayRef<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

// Whether the bytes were such a file with this word at the beginning, and the visitor took all of it. Thread-safe.
bool walk_bits(std::string_view bytes, std::uint32_t magic, BitVisitor& visitor);

}  // namespace hipcache::compiler

#endif
