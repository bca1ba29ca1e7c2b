// Walks over the records of a module's bitcode, of any version of LLVM.
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_BITCODE_READER_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_BITCODE_READER_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitstream/BitstreamReader.h>

#include <cstdint>
#include <string_view>

namespace hipcache::hip {

struct BitcodeRecord {
  unsigned block = 0;
  unsigned depth = 0;  // of the block; the module's is 0
  unsigned code = 0;
  llvm::SmallVector<std::uint64_t, 64> operands;
  std::string_view blob;
};

// What is done with each block and record. false ends the walk.
class BitcodeVisitor {
 public:
  virtual ~BitcodeVisitor() = default;
  // Whether the walk leaves out the block.
  virtual bool skips(unsigned /*block*/) { return false; }
  virtual void begin(unsigned block, unsigned depth) = 0;
  virtual void end(unsigned block, unsigned depth) = 0;
  virtual bool take(BitcodeRecord& record) = 0;
};

// Whether the bytes were bitcode and the visitor took all of it.
bool walk_bitcode(std::string_view bitcode, BitcodeVisitor& visitor);

}  // namespace hipcache::hip

#endif
