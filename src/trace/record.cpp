#include "hipcache/trace/record.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "trace/seen_digest.h"

namespace hipcache::trace {
namespace {

constexpr std::size_t kHeaderSize = 16;
constexpr std::size_t kTextLimit = 4096;

// Reads record after record. The position is for error messages.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return position_ == bytes_.size(); }

  Result<Record> next() {
    if (left() < kHeaderSize) return bad("cut short");
    if (byte(1) > 1 || byte(2) != 0 || byte(3) != 0) return bad("not a record");
    if (byte(0) < int{kFirst} || byte(0) > int{kLast}) return bad("of unknown kind " + std::to_string(byte(0)));
    const std::uint64_t length = number(4, 4);
    if (length > kTextLimit) return bad("too long");
    if (left() - kHeaderSize < length) return bad("cut short");
    Record record{static_cast<Kind>(byte(0)), byte(1) == 1, std::string(bytes_.substr(position_ + kHeaderSize, length)),
                  number(8, 8)};
    if (record.kind == Kind::open_read) split_seen(record);
    if (record.text.find('\0') != std::string::npos) return bad("not text");
    position_ += kHeaderSize + length;
    return record;
  }

 private:
  static void split_seen(Record& record) {
    record.may_change_unseen = (record.seen & TRACE_MAY_CHANGE_UNSEEN) != 0;
    record.seen &= ~std::uint64_t{TRACE_MAY_CHANGE_UNSEEN};
  }

  static constexpr std::uint8_t kFirst = static_cast<std::uint8_t>(Kind::program);
  static constexpr std::uint8_t kLast = static_cast<std::uint8_t>(Kind::content);

  std::size_t left() const { return bytes_.size() - position_; }
  std::size_t byte(std::size_t offset) const { return static_cast<unsigned char>(bytes_[position_ + offset]); }
  std::uint64_t number(std::size_t offset, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i > 0; --i) value = value << 8 | byte(offset + i - 1);
    return value;
  }
  Error bad(const std::string& how) const {
    return Error{"trace: the record at byte " + std::to_string(position_) + " of " + std::to_string(bytes_.size()) +
                 " is " + how};
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
};

void sort_and_remove_doubles(std::vector<Record>& records) {
  std::sort(records.begin(), records.end());
  records.erase(std::unique(records.begin(), records.end()), records.end());
}

}  // namespace

Result<std::vector<Record>> read_records(std::string_view bytes) {
  std::vector<Record> records;
  Reader reader(bytes);
  while (!reader.at_end()) {
    Result<Record> record = reader.next();
    if (!record) return record.error();
    records.push_back(std::move(*record));
  }
  return records;
}

std::string encode(const std::vector<Record>& records) {
  std::string bytes;
  const auto number = [&](std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> 8 * i));
  };
  for (const Record& record : records) {
    number(static_cast<std::uint64_t>(record.kind), 1);
    number(record.found ? 1 : 0, 3);
    number(record.text.size(), 4);
    number(record.seen | (record.may_change_unseen ? std::uint64_t{TRACE_MAY_CHANGE_UNSEEN} : 0U), 8);
    bytes += record.text;
  }
  return bytes;
}

Result<Trace> read_trace(std::string_view bytes) {
  Result<std::vector<Record>> records = read_records(bytes);
  if (!records) return records.error();
  return trace_of(*std::move(records));
}

Trace trace_of(std::vector<Record> records) {
  Trace trace;
  for (Record& record : records) {
    if (record.kind == Kind::end) {
      ++trace.ends;
      continue;
    }
    if (record.kind == Kind::program) trace.programs.push_back(record.text);
    if (record.kind == Kind::execute && record.found) ++trace.starts;
    trace.records.push_back(std::move(record));
  }
  sort_and_remove_doubles(trace.records);
  return trace;
}

}  // namespace hipcache::trace
