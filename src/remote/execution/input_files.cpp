#include "remote/execution/input_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "hipcache/base/files.h"
#include "remote/layout/sha256.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteInput;

constexpr std::size_t kPiece = 256u << 10;

// Anything but a file could block, or have no end.
Result<UniqueFd> open_regular(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_error("cannot read", path);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return system_error("cannot read", path);
  if (!S_ISREG(status.st_mode)) return Error{path + " is not a file"};
  return file;
}

Result<BlobName> hash_file(const std::string& path, std::uint64_t most) {
  const Result<UniqueFd> file = open_regular(path);
  if (!file) return file.error();
  Sha256 hash;
  BlobName name;
  std::string piece(kPiece, '\0');
  for (;;) {
    const ssize_t got = read(file->get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read", path);
    if (got == 0) break;
    name.size += static_cast<std::uint64_t>(got);
    if (name.size > most) return Error{"the inputs have more than 512 MiB"};
    hash.add({piece.data(), static_cast<std::size_t>(got)});
  }
  name.hash = hex_of(hash.finish());
  return name;
}

Result<BlobName> name_of(const ExecuteInput& input, std::uint64_t most, std::vector<protocol::HashedInput>& hashed) {
  if (!input.sha256.empty()) return BlobName{.hash = input.sha256, .size = input.size};
  if (input.source.empty()) return blob_name_of(input.contents);
  Result<BlobName> name = hash_file(input.source, most);
  if (name) hashed.push_back({.path = input.source, .sha256 = name->hash, .size = name->size});
  return name;
}

}  // namespace

Result<std::vector<BlobName>> name_input_files(std::span<const ExecuteInput> inputs,
                                               std::vector<protocol::HashedInput>& hashed) {
  std::vector<BlobName> names;
  names.reserve(inputs.size());
  std::size_t files = 0;
  std::uint64_t left = kMostInputBytes;
  for (const ExecuteInput& input : inputs) {
    names.emplace_back();
    if (input.kind != protocol::ExecuteInputKind::file) continue;
    if (++files > kMostInputFiles) return Error{"the action has more than 20000 input files"};
    Result<BlobName> name = name_of(input, left, hashed);
    if (!name) return name.error();
    if (!is_valid(*name)) return Error{"the input " + input.path + " has no SHA-256"};
    if (name->size > left) return Error{"the inputs have more than 512 MiB"};
    left -= name->size;
    names.back() = std::move(*name);
  }
  return names;
}

Result<std::string> read_input_file(const ExecuteInput& input, const BlobName& name) {
  std::string bytes = input.contents;
  if (!input.source.empty()) {
    const Result<UniqueFd> file = open_regular(input.source);
    if (!file) return file.error();
    Result<std::string> read = read_fd(file->get(), name.size, input.source);
    if (!read) return read.error();
    bytes = std::move(*read);
  }
  if (blob_name_of(bytes) != name) return Error{input.path + " has changed since it was named"};
  return bytes;
}

}  // namespace hipcache::remote
