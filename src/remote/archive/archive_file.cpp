#include "remote/archive/archive_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kTarBlock = 512;
constexpr std::size_t kReadBlock = 128u << 10;
constexpr mode_t kMode = 0644;
constexpr const char* kLevel = "1";  // the values are compressed already; what remains is names and padding

struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

std::string message_of(archive* opened) {
  const char* message = archive_error_string(opened);
  return message == nullptr ? "unknown trouble" : message;
}

Error not_written(archive* opened) {
  const int number = archive_errno(opened);
  return Error{message_of(opened), number > 0 ? code_of_errno(number) : ErrorCode::other};
}

// libarchive has no code of its own for damage; reading a file has few other errors.
Error not_read(archive* opened) {
  const bool is_machine = archive_errno(opened) == EIO || archive_errno(opened) == ENOMEM;
  return Error{message_of(opened), is_machine ? ErrorCode::other : ErrorCode::damaged};
}

Error no_memory() { return Error{"no memory for an archive", ErrorCode::resources}; }

}  // namespace

// Reading and writing are freed by one function.
void FreeArchive::operator()(archive* opened) const { archive_free(opened); }

Result<ArchiveWriter> ArchiveWriter::open(int fd) {
  ArchiveWriter writer(archive_write_new());
  archive* opened = writer.archive_.get();
  if (opened == nullptr) return no_memory();
  const bool is_set = archive_write_set_format_pax_restricted(opened) == ARCHIVE_OK &&
                      archive_write_add_filter_zstd(opened) == ARCHIVE_OK &&
                      archive_write_set_filter_option(opened, "zstd", "compression-level", kLevel) == ARCHIVE_OK &&
                      archive_write_set_bytes_in_last_block(opened, 1) == ARCHIVE_OK &&
                      archive_write_open_fd(opened, fd) == ARCHIVE_OK;
  if (!is_set) return not_written(opened);
  return writer;
}

Status ArchiveWriter::add(const std::string& name, std::string_view bytes) {
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  if (!entry) return no_memory();
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), kMode);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
  archive_entry_set_mtime(entry.get(), 0, 0);
  if (archive_write_header(archive_.get(), entry.get()) != ARCHIVE_OK) return not_written(archive_.get());
  while (!bytes.empty()) {
    const la_ssize_t written = archive_write_data(archive_.get(), bytes.data(), bytes.size());
    if (written <= 0) return not_written(archive_.get());
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return done();
}

Status ArchiveWriter::close() {
  return archive_write_close(archive_.get()) == ARCHIVE_OK ? done() : Status(not_written(archive_.get()));
}

std::uint64_t ArchiveWriter::uncompressed() const {
  return static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), 0));
}

std::uint64_t ArchiveWriter::compressed() const {
  return static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), -1));
}

std::uint64_t ArchiveWriter::size_of_entry(std::uint64_t bytes) {
  return kTarBlock + (bytes + kTarBlock - 1) / kTarBlock * kTarBlock;
}

Result<ArchiveReader> ArchiveReader::open(int fd) {
  ArchiveReader reader(archive_read_new());
  archive* opened = reader.archive_.get();
  if (opened == nullptr) return no_memory();
  const bool is_set = archive_read_support_format_tar(opened) == ARCHIVE_OK &&
                      archive_read_support_filter_zstd(opened) == ARCHIVE_OK &&
                      archive_read_open_fd(opened, fd, kReadBlock) == ARCHIVE_OK;
  if (!is_set) return not_read(opened);
  return reader;
}

Result<std::optional<ArchiveReader::Entry>> ArchiveReader::next() {
  archive_entry* entry = nullptr;
  const int got = archive_read_next_header(archive_.get(), &entry);
  if (got == ARCHIVE_EOF) return std::optional<Entry>();
  if (got != ARCHIVE_OK) return not_read(archive_.get());
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr || archive_entry_filetype(entry) != AE_IFREG || archive_entry_size(entry) < 0 ||
      archive_entry_hardlink(entry) != nullptr)
    return Error{"it has an entry that is no plain file", ErrorCode::damaged};
  size_ = static_cast<std::uint64_t>(archive_entry_size(entry));
  return std::optional(Entry{name, size_});
}

// The buffer grows with what is there, not with what the header claims.
Result<std::string> ArchiveReader::bytes(std::uint64_t limit) {
  if (size_ > limit)
    return Error{"an entry claims " + std::to_string(size_) + " bytes, the limit is " + std::to_string(limit),
                 ErrorCode::damaged};
  std::string bytes;
  while (bytes.size() < size_) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min<std::uint64_t>(size_, before + kReadBlock));
    const la_ssize_t got = archive_read_data(archive_.get(), bytes.data() + before, bytes.size() - before);
    if (got < 0) return not_read(archive_.get());
    if (got == 0) return Error{"it ends in the middle of an entry", ErrorCode::damaged};
    bytes.resize(before + static_cast<std::size_t>(got));
  }
  return bytes;
}

}  // namespace hipcache::remote
