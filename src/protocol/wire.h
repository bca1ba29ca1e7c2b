// Protobuf's wire format: an archive that writes and one that reads. Both walk a message's one list of fields:
//
//   void fields(auto& archive, Of<Command> auto& command) {
//     archive(1, command.program);
//     archive(2, command.argv);
//   }
//
// Problem: messages cross versions of the program, and the launcher reads and writes some in C. Choice: protobuf's
// format, whose rules for changes are well known: a receiver skips fields that it does not know, a missing field is
// zero or empty, and numbers are never reused. List the fields by number, because protobuf writes them so.
// Rejected: protobuf's library. Each field stood in the struct, the schema, the code that filled the generated class,
// and the code that emptied it.
//
// The reader bounds all it takes by the bytes that are there, and nests as deep as the types do. It refuses some of
// what protobuf accepts and never writes: groups, and numbers of more than 64 bits.
#ifndef HIPCACHE_SRC_PROTOCOL_WIRE_H
#define HIPCACHE_SRC_PROTOCOL_WIRE_H

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/base/digest.h"

namespace hipcache::protocol {

// Constant when it is written, else when it is read.
template <typename Object, typename Message>
concept Of = std::same_as<std::remove_const_t<Object>, Message>;

enum class WireType : std::uint8_t { number = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// Writes each field after the ones before. Leaves out a number that is zero and a text that is empty, as protobuf does.
class WireWriter {
 public:
  void operator()(unsigned field, const std::unsigned_integral auto& number) {
    if (number != 0) put_number(field, number);
  }
  void operator()(unsigned field, const std::int32_t& number);
  void operator()(unsigned field, const std::string& text);
  void operator()(unsigned field, const std::optional<std::string>& text);
  void operator()(unsigned field, const std::vector<std::string>& texts);
  void operator()(unsigned field, const std::vector<std::uint64_t>& numbers);
  void operator()(unsigned field, const Digest& digest);

  template <typename Enum>
  void operator()(unsigned field, const Enum& kind, Enum /*last*/, const char* /*unknown*/) {
    (*this)(field, static_cast<std::uint32_t>(kind));
  }

  // A message within the message is written even if it is empty.
  template <typename Message>
    requires std::is_class_v<Message>
  void operator()(unsigned field, const Message& message) {
    put_tag(field, WireType::bytes);
    const std::size_t begin = bytes_.size();
    fields(*this, message);
    put_size_before(begin);
  }

  template <typename Message>
  void operator()(unsigned field, const std::vector<Message>& messages) {
    for (const Message& message : messages) (*this)(field, message);
  }

  // A text that may be too large for the message: the first such text is left out, and becomes bulk().
  void content(unsigned field, const std::string& text);

  // A message of one kind, in an envelope: the field's number is that of the kind, from 1 on.
  template <typename... Kinds>
  void one_of(const std::variant<Kinds...>& message) {
    const auto field = static_cast<unsigned>(message.index() + 1);
    std::visit([&](const auto& one) { (*this)(field, one); }, message);
  }

  std::string bytes() && { return std::move(bytes_); }
  const std::string* bulk() const { return bulk_; }

 private:
  void put_varint(std::uint64_t number);
  void put_tag(unsigned field, WireType type);
  void put_number(unsigned field, std::uint64_t number);
  void put_text(unsigned field, std::string_view text);
  void put_size_before(std::size_t begin);

  std::string bytes_;
  const std::string* bulk_ = nullptr;
};

// Goes from field to field of the bytes. The list of fields is walked for each: the one of that number and type takes
// its value. A field of the bytes that is not in the list is skipped. If a field comes twice, the later value counts;
// messages within are read one over the other, and lists grow.
class WireReader {
 public:
  // `bulk`: the text that the message has no room for, if one came with it.
  explicit WireReader(std::string_view bytes, const std::string* bulk = nullptr) : bytes_(bytes), bulk_(bulk) {}

  template <typename Message>
  void read(Message& message) {
    while (next()) fields(*this, message);
    is_at_end_ = true;  // for the fields that must not be missing
    fields(*this, message);
  }

  void operator()(unsigned field, std::unsigned_integral auto& number) {
    if (is_here(field, WireType::number)) number = static_cast<std::remove_reference_t<decltype(number)>>(number_);
  }
  void operator()(unsigned field, std::int32_t& number);
  void operator()(unsigned field, std::string& text);
  void operator()(unsigned field, std::optional<std::string>& text);
  void operator()(unsigned field, std::vector<std::string>& texts);
  void operator()(unsigned field, std::vector<std::uint64_t>& numbers);
  void operator()(unsigned field, Digest& digest);  // must not be missing

  // A kind above `last` is an error: `unknown` and the kind's number. A missing one is zero, whatever the struct begins
  // with.
  template <typename Enum>
  void operator()(unsigned field, Enum& kind, Enum last, const char* unknown) {
    std::uint32_t number = is_missing(field) ? 0 : static_cast<std::uint32_t>(kind);
    (*this)(field, number);
    if (number <= static_cast<std::uint32_t>(last))
      kind = static_cast<Enum>(number);
    else if (unknown_.empty())
      unknown_ = unknown + std::to_string(number);
  }

  // A missing one is read as an empty one, because one of its fields may have to be there.
  template <typename Message>
    requires std::is_class_v<Message>
  void operator()(unsigned field, Message& message) {
    if (is_missing(field)) text_ = {};
    if (is_missing(field) || is_here(field, WireType::bytes)) read_here(message);
  }

  template <typename Message>
  void operator()(unsigned field, std::vector<Message>& messages) {
    if (is_here(field, WireType::bytes)) read_here(messages.emplace_back());
  }

  // If it is missing, the bulk is meant.
  void content(unsigned field, std::string& text);

  // Stays empty if the envelope has no message of these kinds.
  template <typename... Kinds>
  void one_of(std::optional<std::variant<Kinds...>>& message) {
    while (next()) take_kind(message, std::index_sequence_for<Kinds...>());
  }

  bool is_damaged() const { return is_damaged_; }
  const std::string& unknown() const { return unknown_; }  // empty: every kind is known

 private:
  bool next();
  bool is_here(unsigned field, WireType type);
  bool is_missing(unsigned field) const { return is_at_end_ && (seen_ >> field & 1) == 0; }
  std::uint64_t take_varint();
  std::string_view take_bytes(std::uint64_t size);

  template <typename Message>
  void read_here(Message& message) {
    WireReader within(text_, bulk_);
    within.read(message);
    is_damaged_ = is_damaged_ || within.is_damaged_;
    if (unknown_.empty()) unknown_ = within.unknown_;
  }

  template <typename Kind, std::size_t... Index>
  void take_kind(std::optional<Kind>& message, std::index_sequence<Index...>) {
    const auto take = [&]<std::size_t index>() {
      if (!is_here(index + 1, WireType::bytes)) return;
      if (!message || message->index() != index) message.emplace(std::in_place_index<index>);
      read_here(std::get<index>(*message));
    };
    (take.template operator()<Index>(), ...);
  }

  std::string_view bytes_;  // after the field
  const std::string* bulk_;
  std::uint64_t field_ = 0;
  WireType type_ = WireType::number;
  std::uint64_t number_ = 0;  // of a field of type number
  std::string_view text_;     // of a field of type bytes
  std::uint64_t seen_ = 0;    // a bit for each field that was taken: numbers are below 64
  bool is_at_end_ = false;
  bool is_damaged_ = false;
  std::string unknown_;
};

}  // namespace hipcache::protocol

#endif
