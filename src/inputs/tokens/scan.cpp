#include "inputs/tokens/scan.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hipcache/base/text.h"
#include "hipcache/inputs/run.h"
#include "inputs/tokens/comments.h"
#include "inputs/tokens/name_reader.h"
#include "inputs/tokens/source_text.h"
#include "inputs/tokens/token_writer.h"

namespace hipcache::inputs {
namespace {

using namespace std::string_view_literals;
using Kind = Unit::Kind;

constexpr std::size_t kLongestRawDelimiter = 16;
constexpr unsigned kBehindName = 3;  // "#", "define" and the name came before

class Scanner {
 public:
  // `writer`, `reader`, `lines`: may be null.
  Scanner(std::string_view text, TokenWriter* writer, UnitReader* reader, std::vector<std::uint64_t>* lines = nullptr)
      : text_(text), writer_(writer), reader_(reader), lines_(lines) {}

  void scan() {
    if (text_.find('\0') != text_.npos) give_up("a zero byte");
    if (text_.find("\?\?/") != text_.npos) give_up("a trigraph");  // some modes join lines by it
    if (text_.starts_with("\xef\xbb\xbf")) {
      is_unclear_ = true;
      at_ = 3;
    }
    while (at_ < text_.size()) step();
    end_directive();
  }

  bool ends_line() const { return text_.empty() || text_.ends_with('\n'); }
  bool is_unclear() const { return is_unclear_; }
  bool has_empty_body() const { return has_empty_body_; }
  bool differs_by_language() const { return differs_by_language_; }
  const std::string& unknown_by() const { return unknown_by_; }
  bool is_plain() const {
    return !is_unclear_ && unknown_by_.empty() && !has_unterminated_ && line_ == 1 && !has_comment_;
  }

 private:
  // The words of the text are not known for certain.
  void give_up(std::string_view because) {
    is_unclear_ = true;
    if (unknown_by_.empty()) unknown_by_ = "line " + std::to_string(line_) + " has " + std::string(because);
  }
  void give_up_at_end(std::string_view because) {
    give_up(because);
    at_ = text_.size();
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void step() {
    const char c = text_[at_];
    if (is_blank(c)) {
      take_blank();
    } else if (c == '\n') {
      ++at_;
      end_line();
    } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
      take_comment();
    } else if (c == '\\') {
      take_backslash();
    } else if (c == '"' || c == '\'') {
      take_literal();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      take_number();
    } else if (is_of_word(c)) {
      take_word();
    } else if (kSigns.find(c) != kSigns.npos) {
      take_sign();
    } else if (c == '\f' || c == '\v' || (c == '\r' && peek(1) == '\n')) {
      is_unclear_ = true;  // gcc warns of the first two within directives
      take_blank();
    } else {
      give_up("a character beyond plain text");
      take_sign();
    }
  }

  void take_blank() {
    ++at_;
    is_separated_ = true;
  }

  // The first character behind a backslash that ends its line, or npos. Blanks between them are warned of.
  std::size_t behind_splice(std::size_t at) {
    std::size_t end = at + 1;
    while (end < text_.size() && (is_blank(text_[end]) || text_[end] == '\r')) ++end;
    if (end == text_.size() || text_[end] != '\n') return text_.npos;
    if (end != at + 1) is_unclear_ = true;
    return end + 1;
  }

  void take_backslash() {
    const std::size_t behind = behind_splice(at_);
    if (behind == text_.npos) {
      give_up("a backslash");
      return take_sign();
    }
    if (directive_ != Directive::define && directive_ != Directive::condition) is_unclear_ = true;
    if (writer_ != nullptr) writer_->add_splice(is_separated_);
    at_ = behind;
    begin_line();
    is_joined_ = true;
  }

  void begin_line() {
    ++line_;
    line_begin_ = at_;
    is_first_ = true;
  }

  void end_line() {
    end_directive();
    begin_line();
    is_separated_ = begins_line_ = true;
    is_joined_ = false;
  }

  void end_directive() {
    if (std::exchange(directive_, Directive::none) == Directive::none) return;
    if (writer_ != nullptr) writer_->end_directive();
    if (reader_ != nullptr) reader_->end_line();
    awaits_header_ = 0;
  }

  // Comments stand for a blank.
  void take_comment() {
    has_comment_ = true;
    const std::size_t begin = at_;
    std::size_t end = 0;
    if (peek(1) == '/') {
      end = end_of_joined_line(text_, at_);
    } else {
      end = text_.find("*/", at_ + 2);
      if (end == text_.npos) give_up("a comment without an end");
      end = end == text_.npos ? text_.size() : end + 2;
    }
    const std::string_view comment = text_.substr(begin, end - begin);
    const Remark remark = remark_of(comment, text_.substr(end));
    if (remark == Remark::unclear) give_up("a comment that compilers read in two ways");
    look_for_odd_characters(comment, end);
    if (writer_ != nullptr) {
      if (is_first_) writer_->add_comment_line(text_.substr(line_begin_, begin - line_begin_));
      for (std::size_t nl = text_.find('\n', begin); nl < end; nl = text_.find('\n', nl + 1)) {
        const std::size_t first = text_.find_first_not_of(" \t", nl + 1);
        if (first < end && text_[first] != '\n') writer_->add_comment_line(text_.substr(nl + 1, first - nl - 1));
      }
      writer_->add_comment(comment, remark);
    }
    if (const std::size_t last = comment.rfind('\n'); last != comment.npos) {
      line_ += static_cast<std::uint64_t>(std::count(comment.begin(), comment.end(), '\n'));
      line_begin_ = begin + last + 1;
      is_first_ = true;
    }
    at_ = end;
    is_separated_ = true;
  }

  // A lone carriage return ends a line, and with it a comment. `end`: of the comment in the text.
  void look_for_odd_characters(std::string_view comment, std::size_t end) {
    for (std::size_t at = 0; at < comment.size(); ++at) {
      if (!is_odd(comment[at])) continue;
      is_unclear_ = true;
      const char next = at + 1 < comment.size() ? comment[at + 1] : end < text_.size() ? text_[end] : '\0';
      if (comment[at] == '\r' && next != '\n') give_up("a carriage return within a line");
    }
  }

  static bool is_odd(char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n'; }

  void take_literal() {
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    for (; end < text_.size() && text_[end] != quote && text_[end] != '\n'; ++end) {
      const char c = text_[end];
      if (c == '?' && end + 2 < text_.size() && text_[end + 1] == '?' && is_trigraph(text_[end + 2]))
        is_unclear_ = true;
      if (c != '\\') continue;
      if (const std::size_t behind = behind_splice(end); behind != text_.npos) {
        is_unclear_ = true;
        pending_lines_.push_back(behind);
        end = behind - 1;
      } else if (end + 1 < text_.size()) {
        ++end;
      }
    }
    if (end < text_.size() && text_[end] == quote) return take_unit(Kind::literal, end + 1);
    take_unterminated(end);
  }

  static bool is_trigraph(char c) { return "=/'()!<>-"sv.find(c) != std::string_view::npos; }

  // The rest of the line is one token, or every character one.
  void take_unterminated(std::size_t end) {
    const std::string_view rest = text_.substr(at_, end - at_);
    if (rest.find("/*") != rest.npos || rest.find('\\') != rest.npos) give_up("a quote without its end");
    has_unterminated_ = true;
    take_unit(Kind::rest, end);
  }

  void take_raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos || open - at_ - 1 > kLongestRawDelimiter) return give_up_at_end("an odd raw string");
    const std::string ending = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + '"';
    const std::size_t close = text_.find(ending, open);
    if (close == text_.npos) return give_up_at_end("a raw string without an end");
    if (text_.substr(open, close - open).find('\r') != text_.npos) give_up("a carriage return in a raw string");
    differs_by_language_ = true;
    for (std::size_t nl = text_.find('\n', at_); nl < close; nl = text_.find('\n', nl + 1))
      pending_lines_.push_back(nl + 1);
    take_unit(Kind::literal, close + ending.size());
  }

  void take_number() {
    std::size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      const char before = static_cast<char>(text_[end - 1] | 0x20);
      if (is_of_word(c) || c == '.' || ((c == '+' || c == '-') && (before == 'e' || before == 'p'))) continue;
      if (c != '\'' || end + 1 >= text_.size() || !is_of_word(text_[end + 1])) break;
      differs_by_language_ = true;
    }
    take_unit(Kind::word, end);
  }

  void take_word() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_of_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (directive_ == Directive::unnamed) return take_directive(word, end);
    const bool is_raw = end < text_.size() && text_[end] == '"' && holds(kRawPrefixes, word);
    take_unit(Kind::word, end);
    if (holds(kAsksForHeader, word)) awaits_header_ = 2;
    if (is_raw) take_raw_literal();
  }

  void take_directive(std::string_view word, std::size_t end) {
    directive_ = directive_named(word);
    if (reader_ != nullptr) reader_->begin_directive(directive_, word, line_);
    // The name of the directive is no name of the source, but its place counts.
    add_unit({.kind = Kind::word, .text = word, .is_adjacent = !is_separated_});
    at_ = end;
    is_separated_ = false;
    if (directive_ == Directive::header) take_header();
    if (directive_ == Directive::text) take_text();
  }

  // One without a name that is a word: "# 1 "file"".
  void take_unnamed_directive() {
    directive_ = Directive::other;
    if (reader_ != nullptr) reader_->begin_directive(directive_, "", line_);
  }

  void skip_blanks() {
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) is_separated_ = true;
  }

  void take_header() {
    skip_blanks();
    if (peek() == '<' || peek() == '"') take_header_name();
  }

  // In a header's name nothing begins a comment or escapes a quote.
  void take_header_name() {
    const char close = peek() == '<' ? '>' : '"';
    const std::size_t end = text_.find(close, at_ + 1);
    const std::string_view name = text_.substr(at_, end - at_);
    if (end == text_.npos || name.find_first_of("\n\r\\") != name.npos) return give_up_at_end("an odd header name");
    take_unit(Kind::rest, end + 1);
  }

  void take_text() {
    skip_blanks();
    const std::size_t end = end_of_joined_line(text_, at_);
    const std::string_view rest = text_.substr(at_, end - at_);
    if (rest.find("/*") != rest.npos) give_up("a comment in a message");
    if (rest.find_first_of("\r\n") != rest.npos) is_unclear_ = true;
    for (std::size_t nl = rest.find('\n'); nl != rest.npos; nl = rest.find('\n', nl + 1))
      pending_lines_.push_back(at_ + nl + 1);
    if (!rest.empty()) take_unit(Kind::rest, end);
  }

  void take_sign() {
    const char c = text_[at_];
    if (c == '?' && peek(1) == '?' && is_trigraph(peek(2))) give_up("a trigraph");
    if (awaits_header_ == 1 && c == '<') return take_header_name();
    awaits_header_ = awaits_header_ == 2 && c == '(' ? 1 : 0;
    if (c == '%' && peek(1) == ':' && begins_line_) give_up("a digraph for a directive");
    const bool begins_directive = c == '#' && begins_line_;
    if (begins_directive) {
      directive_ = Directive::unnamed;
      units_of_directive_ = 0;
      if (writer_ != nullptr) writer_->begin_directive();
    } else if (directive_ == Directive::unnamed) {
      take_unnamed_directive();
    }
    take_unit(Kind::sign, at_ + 1);
  }

  void take_unit(Kind kind, std::size_t end) {
    Unit unit{.kind = kind,
              .text = text_.substr(at_, end - at_),
              .is_adjacent = !is_separated_ && has_unit_,
              .begins_line = begins_line_};
    if (directive_ == Directive::unnamed && kind != Kind::sign) take_unnamed_directive();
    if (kind != Kind::word && std::any_of(unit.text.begin(), unit.text.end(), is_odd)) is_unclear_ = true;
    add_unit(unit);
    if (reader_ != nullptr && directive_ != Directive::unnamed)
      reader_->take_unit(unit, directive_, line_, end < text_.size() ? text_[end] : '\0');
    at_ = end;
    is_separated_ = false;
    for (const std::size_t begin : pending_lines_) {
      ++line_;
      line_begin_ = begin;
    }
    pending_lines_.clear();
  }

  // Whether the unit could be one token with the one before if nothing lay between.
  bool may_be_one_with(const Unit& unit) const {
    const bool is_text = unit.kind == Kind::word || unit.kind == Kind::literal;
    const bool was_text = before_.kind == Kind::word || before_.kind == Kind::literal;
    if (is_text && was_text) return true;
    if (unit.kind == Kind::sign && before_.kind == Kind::sign) return may_join(before_.text[0], unit.text[0]);
    if (!is_joined_) return false;
    // Words end at a backslash; a number would not have.
    return (was_text && ".+-'"sv.find(unit.text[0]) != std::string_view::npos) || (is_text && before_.is("."));
  }

  void add_unit(const Unit& unit) {
    const bool may_be_one = unit.is_adjacent && may_be_one_with(unit);
    if (is_joined_ && may_be_one) give_up("a word in two lines");
    note_empty_body(unit);
    if (writer_ != nullptr) {
      writer_->add(unit, {.is_first = is_first_,
                          .is_joined = is_joined_,
                          .may_be_one = may_be_one,
                          .counts_blanks = counts_blanks(),
                          .line = line_,
                          .column = at_ - line_begin_,
                          .indentation = text_.substr(line_begin_, at_ - line_begin_)});
    }
    if (lines_ != nullptr) lines_->push_back(line_);
    before_ = unit;
    has_unit_ = true;
    ++units_of_directive_;
    is_first_ = begins_line_ = is_joined_ = false;
  }

  // Whether blanks before the unit count whatever the units are: in the definition of a macro, which may be spelled or
  // compared with another one, and in directives whose text some compiler prints or hands on.
  bool counts_blanks() const {
    if (directive_ == Directive::define) return units_of_directive_ >= kBehindName;
    return directive_ == Directive::other || directive_ == Directive::text || directive_ == Directive::pragma;
  }

  // A loop or condition whose body is a semicolon in the same line: whether compilers warn depends on columns. So does
  // one that is an argument of a macro.
  void note_empty_body(const Unit& unit) {
    const bool was_head = std::exchange(closes_head_, false);
    if (unit.is("(")) {
      heads_.push_back(before_.kind == Kind::word && holds(kBeforeBodies, before_.text) && !is_behind_block_);
    } else if (unit.is(")") && !heads_.empty()) {
      closes_head_ = heads_.back();
      heads_.pop_back();
    }
    if (was_head && !is_first_ && unit.is(";")) has_empty_body_ = true;
    if (was_head && (unit.is(")") || unit.is(","))) has_empty_body_ = true;
    if (unit.kind == Kind::word) is_behind_block_ = before_.is("}");  // "} while (x);"
  }

  static constexpr std::string_view kSigns = "{}[]#()<>%:;.?*+-/^&|~!=,";

  const std::string_view text_;
  TokenWriter* const writer_;
  UnitReader* const reader_;
  std::vector<std::uint64_t>* const lines_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::size_t line_begin_ = 0;
  bool is_first_ = true;      // no unit since the physical line began
  bool begins_line_ = true;   // no unit since the line began, joined lines being one
  bool is_separated_ = true;  // a blank, a comment or a line's end came since the last unit
  bool is_joined_ = false;    // a backslash and a line's end came since the last unit
  bool has_unit_ = false;
  bool is_unclear_ = false;
  bool has_comment_ = false;
  bool has_unterminated_ = false;
  bool differs_by_language_ = false;
  std::string unknown_by_;
  int awaits_header_ = 0;  // 2: '(', 1: '<'
  Directive directive_ = Directive::none;
  unsigned units_of_directive_ = 0;
  Unit before_;
  std::vector<std::size_t> pending_lines_;  // where lines begin within the unit
  std::vector<bool> heads_;                 // for each open parenthesis, whether a body follows it
  bool closes_head_ = false;
  bool is_behind_block_ = false;
  bool has_empty_body_ = false;
};

TokenDigests digests_of_bytes(std::string_view text) {
  const Digest bytes = Hasher("source bytes").field(text).finish();
  return {bytes, bytes, bytes};
}

}  // namespace

SourceText scan_source(std::string_view text, Wanted wanted, std::vector<std::uint64_t>* lines) {
  const bool wants_names = wanted != Wanted::digests;
  const bool wants_digests = wanted != Wanted::names;
  TokenWriter writer(wants_digests ? text.size() : 0);
  NameReader names;
  Scanner scanner(text, wants_digests ? &writer : nullptr, wants_names ? &names : nullptr, lines);
  scanner.scan();
  SourceText result;
  if (wants_digests) {
    result.digests =
        scanner.is_unclear() ? digests_of_bytes(text) : writer.finish(scanner.ends_line(), scanner.has_empty_body());
    result.tokens = writer.take_short();
  }
  if (wants_names) {
    result.names = names.finish();
    result.names.unknown_by = scanner.unknown_by();
    result.names.differs_by_language = scanner.differs_by_language();
  }
  return result;
}

void read_units(std::string_view text, UnitReader& reader) { Scanner(text, nullptr, &reader).scan(); }

bool is_plain_value(std::string_view text) {
  if (text.find_first_of("\n\r\\") != text.npos) return false;
  Scanner scanner(text, nullptr, nullptr);
  scanner.scan();
  return scanner.is_plain();
}

}  // namespace hipcache::inputs
