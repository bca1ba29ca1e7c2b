#include "remote/archive/archive_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kTarBlock = 512;
constexpr std::size_t kReadBlock = 128u << 10;
constexpr int kLevel = 1;  // the values are compressed already; what remains is names and padding

// A field of a header: where it is, and its length.
struct Field {
  std::size_t at, length;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};
constexpr Field kPrefix{345, 155};
constexpr std::string_view kUstar("ustar\00000", 8);
constexpr std::uint64_t kPlainMode = 0644;

// In octal digits, with a zero byte behind.
void put_number(std::string& header, const Field& field, std::uint64_t number) {
  for (std::size_t at = field.at + field.length - 1; at-- > field.at; number /= 8)
    header[at] = static_cast<char>('0' + number % 8);
}

std::string_view text_in(std::string_view header, const Field& field) {
  const std::string_view text = header.substr(field.at, field.length);
  return text.substr(0, text.find('\0'));
}

std::optional<std::uint64_t> number_in(std::string_view header, const Field& field) {
  std::string_view digits = text_in(header, field);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  std::uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 8);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// The sum of the header's bytes, with blanks in place of itself.
std::uint64_t checksum_of(std::string header) {
  std::fill_n(header.begin() + kChecksum.at, kChecksum.length, ' ');
  std::uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  return sum;
}

std::string header_of(const std::string& name, std::uint64_t size) {
  std::string header(kTarBlock, '\0');
  header.replace(kName.at, std::min(name.size(), kName.length), name, 0, kName.length);
  put_number(header, kMode, kPlainMode);
  put_number(header, kUser, 0);
  put_number(header, kGroup, 0);
  put_number(header, kSize, size);
  put_number(header, kTime, 0);
  header[kType.at] = '0';
  header.replace(kMagic.at, kMagic.length, kUstar);
  put_number(header, kChecksum, checksum_of(header));
  return header;
}

// Nothing if it is no plain file's.
std::optional<ArchiveReader::Entry> entry_of(const std::string& header) {
  const std::optional<std::uint64_t> size = number_in(header, kSize);
  const bool is_plain =
      header[kType.at] == '0' && text_in(header, kMagic) == "ustar" && text_in(header, kPrefix).empty();
  if (!is_plain || !size || number_in(header, kChecksum) != checksum_of(header)) return std::nullopt;
  return ArchiveReader::Entry{std::string(text_in(header, kName)), *size};
}

std::uint64_t in_blocks(std::uint64_t bytes) { return (bytes + kTarBlock - 1) / kTarBlock * kTarBlock; }

Error damaged(std::string what) { return Error{std::move(what), ErrorCode::damaged}; }

Error no_memory() { return Error{"no memory for an archive", ErrorCode::resources}; }

}  // namespace

ArchiveWriter::ArchiveWriter(int fd, std::unique_ptr<ZSTD_CCtx, FreeZstd> context)
    : fd_(fd), context_(std::move(context)), block_(ZSTD_CStreamOutSize(), '\0') {}

Result<ArchiveWriter> ArchiveWriter::open(int fd) {
  std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  if (!context) return no_memory();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  return ArchiveWriter(fd, std::move(context));
}

Status ArchiveWriter::write(std::string_view bytes, ZSTD_EndDirective end) {
  uncompressed_ += bytes.size();
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (bool is_done = false; !is_done;) {
    ZSTD_outBuffer out{block_.data(), block_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end);
    if (ZSTD_isError(left) != 0U) return Error{ZSTD_getErrorName(left), ErrorCode::resources};
    if (Status written = write_all(fd_, {block_.data(), out.pos}, "its file"); !written) return written;
    compressed_ += out.pos;
    is_done = end == ZSTD_e_continue ? in.pos == in.size : left == 0;
  }
  return done();
}

Status ArchiveWriter::add(const std::string& name, std::string_view bytes) {
  if (Status header = write(header_of(name, bytes.size())); !header) return header;
  if (Status content = write(bytes); !content) return content;
  return write(std::string(in_blocks(bytes.size()) - bytes.size(), '\0'));
}

Status ArchiveWriter::close() { return write(std::string(2 * kTarBlock, '\0'), ZSTD_e_end); }

std::uint64_t ArchiveWriter::size_of_entry(std::uint64_t bytes) { return kTarBlock + in_blocks(bytes); }

ArchiveReader::ArchiveReader(int fd, std::unique_ptr<ZSTD_DCtx, FreeZstd> context)
    : fd_(fd), context_(std::move(context)), block_(kReadBlock, '\0') {}

Result<ArchiveReader> ArchiveReader::open(int fd) {
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  if (!context) return no_memory();
  return ArchiveReader(fd, std::move(context));
}

Status ArchiveReader::fill() {
  ssize_t size = 0;
  do {
    size = read(fd_, block_.data(), block_.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) return system_error("cannot read", "its file");
  if (size == 0) return damaged("it ends early");
  in_ = {block_.data(), static_cast<std::size_t>(size), 0};
  return done();
}

// The buffer grows with what is there, not with what the header claims.
Result<std::string> ArchiveReader::take(std::uint64_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min<std::uint64_t>(size, before + kReadBlock));
    ZSTD_outBuffer out{bytes.data() + before, bytes.size() - before, 0};
    while (out.pos < out.size) {
      const std::size_t had = out.pos;
      const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in_);
      if (ZSTD_isError(left) != 0U) return damaged(ZSTD_getErrorName(left));
      if (out.pos > had || in_.pos < in_.size) continue;
      if (Status filled = fill(); !filled) return filled.error();
    }
  }
  return bytes;
}

Result<std::optional<ArchiveReader::Entry>> ArchiveReader::next() {
  while (left_ > 0) {
    const Result<std::string> unread = take(std::min<std::uint64_t>(left_, kReadBlock));
    if (!unread) return unread.error();
    left_ -= unread->size();
  }
  const Result<std::string> header = take(kTarBlock);
  if (!header) return header.error();
  if (header->find_first_not_of('\0') == std::string::npos) return std::optional<Entry>();
  std::optional<Entry> entry = entry_of(*header);
  if (!entry) return damaged("it has an entry that is no plain file");
  size_ = entry->size;
  left_ = in_blocks(size_);
  return entry;
}

Result<std::string> ArchiveReader::bytes(std::uint64_t limit) {
  if (size_ > limit)
    return damaged("an entry claims " + std::to_string(size_) + " bytes, the limit is " + std::to_string(limit));
  Result<std::string> bytes = take(size_);
  if (bytes) left_ -= size_;
  return bytes;
}

}  // namespace hipcache::remote
