#include "hipcache/compiler/ast_file.h"

#include <cstddef>
#include <cstdint>

#include "compiler/bitstream/bitstream.h"

namespace hipcache::compiler {
namespace {

// From clang's ASTBitCodes.h; unchanged since clang 9.
constexpr std::uint32_t kMagic = 0x48435043;  // "CPCH"
constexpr unsigned kControlBlock = 15;
constexpr unsigned kInputFilesBlock = 16;
constexpr unsigned kInputFile = 1;  // code of the record: id, size, time, ...
constexpr std::size_t kTime = 2;    // index among its operands

// The list is in the control block. What comes behind that may be cut off.
class Headers : public BitVisitor {
 public:
  bool skips(unsigned block) override { return is_complete_ || (block != kControlBlock && block != kInputFilesBlock); }
  void begin(unsigned /*block*/, unsigned /*depth*/) override {}
  void end(unsigned block, unsigned /*depth*/) override { is_complete_ = is_complete_ || block == kControlBlock; }

  bool take(BitRecord& record) override {
    if (record.block != kInputFilesBlock || record.code != kInputFile || record.operands.size() <= kTime) return true;
    has_headers_ = true;
    has_times_ = has_times_ || record.operands[kTime] != 0;
    return true;
  }

  bool lack_times() const { return is_complete_ && has_headers_ && !has_times_; }

 private:
  bool is_complete_ = false;
  bool has_headers_ = false;
  bool has_times_ = false;
};

}  // namespace

bool lacks_times(std::string_view head) {
  Headers headers;
  walk_bits(head, kMagic, headers);
  return headers.lack_times();
}

}  // namespace hipcache::compiler
