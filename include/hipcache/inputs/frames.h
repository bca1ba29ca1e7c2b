// A small serialiser that is safe to read back: numbers as LEB128 varints, texts with their length
// before them.
//
// The formats of path sets and action results use it (docs/internals/formats.md); they are too small and too
// hot for a schema compiler. Reading never goes past the end, and never allocates a size that the
// bytes claim. After one failure every read fails, so a decoder may read a whole record and check
// once.
#ifndef HIPCACHE_INPUTS_FRAMES_H
#define HIPCACHE_INPUTS_FRAMES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace hipcache::inputs {

class FrameWriter {
 public:
  FrameWriter& byte(std::uint8_t value);
  FrameWriter& number(std::uint64_t value);
  FrameWriter& text(std::string_view value);  // length and bytes
  FrameWriter& raw(std::string_view value);   // bytes alone; the reader knows the length

  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads the bytes given, which must outlive the reader and every view it returned. A failed read
// gives 0 or "".
class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t byte();
  std::uint64_t number();
  std::string_view text();
  std::string_view raw(std::uint64_t length);

  bool failed() const { return failed_; }
  bool finished() const { return !failed_ && rest_.empty(); }  // all read, nothing wrong

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace hipcache::inputs

#endif
