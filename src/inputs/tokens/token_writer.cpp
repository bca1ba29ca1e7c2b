#include "inputs/tokens/token_writer.h"

#include <algorithm>
#include <cstddef>

#include "hipcache/base/text.h"

namespace hipcache::inputs {

namespace {

// Marks between the units of a digest. No text outside of literals and comments holds these characters.
enum Mark : char {
  kAdjacent = 1,  // nothing lies between, and both may be parts of one token
  kRestEnds = 2,
  kRest = 3,
  kDirective = 4,
  kDirectiveEnds = 5,
  kLine = 6,  // the first unit of its line
  kColumn = 7,
  kCommentLine = 8,
  kJoinedLine = 11,  // the first unit behind a backslash and a line's end
  kRemark = 12,
  kSplice = 14,
  kApart = ' ',
};

void add_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

void add_text(std::string& out, const Unit& unit) {
  if (unit.kind == Unit::Kind::rest) out.push_back(kRest);
  out.append(unit.text);
  if (unit.kind == Unit::Kind::rest) out.push_back(kRestEnds);
}

bool is_beyond_ascii(char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }

}  // namespace

TokenWriter::TokenWriter(std::size_t size) {
  for (std::string* out : {&tokens_, &in_order_, &in_place_}) out->reserve(size);
}

void TokenWriter::add_everywhere(char c) {
  for (std::string* out : {&tokens_, &in_order_, &in_place_}) out->push_back(c);
}

void TokenWriter::begin_directive() { tokens_.push_back(kDirective); }
void TokenWriter::end_directive() { tokens_.push_back(kDirectiveEnds); }

void TokenWriter::add_splice(bool is_separated) {
  add_everywhere(kSplice);
  add_everywhere(is_separated ? kApart : kAdjacent);
}

void TokenWriter::add_counted_line(std::string_view indentation) {
  for (std::string* out : {&in_order_, &in_place_}) out->append(1, kCommentLine).append(indentation);
}

void TokenWriter::settle_comment_lines(const Unit& unit, const UnitPlace& place) {
  if (place.is_first)
    for (const std::string_view line : before_sign_) add_counted_line(line);
  before_sign_.clear();
  for (const std::string_view line : comment_lines_)
    if (!line.starts_with(place.indentation))
      add_counted_line(line);
    else if (unit.text.size() == 1)
      before_sign_.push_back(line);
  comment_lines_.clear();
}

void TokenWriter::add_comment(std::string_view comment, Remark remark) {
  if (remark == Remark::none && std::none_of(comment.begin(), comment.end(), is_beyond_ascii)) return;
  add_everywhere(kRemark);
  for (const char c : comment)
    if (remark != Remark::none || is_beyond_ascii(c) || c == '\n') add_everywhere(c);
  add_everywhere(kRestEnds);
}

void TokenWriter::add(const Unit& unit, const UnitPlace& place) {
  short_.push_back(static_cast<std::uint16_t>(name64(unit.text)));
  settle_comment_lines(unit, place);
  // Both compilers look whether an empty body has a line of its own (-Wempty-body).
  if (place.is_first && unit.is(";")) tokens_.push_back(kLine);
  tokens_.push_back(place.may_be_one || (unit.is_adjacent && place.counts_blanks) ? kAdjacent : kApart);
  add_text(tokens_, unit);
  if (place.is_first) {
    const char mark = place.is_joined ? kJoinedLine : kLine;
    in_order_.push_back(mark);
    in_order_.append(place.indentation);
    in_place_.push_back(mark);
    add_number(in_place_, place.line);
    in_place_.append(place.indentation);
  } else if (unit.is_adjacent) {
    in_order_.push_back(kAdjacent);
    in_place_.push_back(kAdjacent);
  } else {
    for (std::string* out : {&in_order_, &in_place_}) {
      out->push_back(kColumn);
      add_number(*out, place.column);
    }
  }
  add_text(in_order_, unit);
  add_text(in_place_, unit);
}

TokenDigests TokenWriter::finish(bool ends_line, bool keeps_columns) {
  for (const std::string_view line : before_sign_) add_counted_line(line);
  add_everywhere(ends_line ? kLine : kApart);
  // Another number whenever a text that had a digest has none any more: an earlier version stored results of such
  // texts.
  const Digest in_order = Hasher("source in order 2").field(in_order_).finish();
  return {Hasher("source in place 2").field(in_place_).finish(), in_order,
          keeps_columns ? in_order : Hasher("source tokens 2").field(tokens_).finish()};
}

}  // namespace hipcache::inputs
