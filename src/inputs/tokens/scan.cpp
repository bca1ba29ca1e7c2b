#include "inputs/tokens/scan.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hipcache/base/text.h"
#include "hipcache/inputs/run.h"
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
  Scanner(std::string_view text, Wanted wanted, std::vector<std::uint64_t>* lines = nullptr)
      : text_(text),
        wants_names_(wanted != Wanted::digests),
        wants_digests_(wanted != Wanted::names),
        lines_(lines),
        writer_(wants_digests_ ? text.size() : 0) {}

  SourceText scan() {
    // Trigraphs count in some modes and are warned of in others, also within comments.
    if (text_.find("\?\?") != text_.npos) is_unclear_ = true;
    if (text_.find('\0') != text_.npos) give_up();
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (at_ < text_.size()) step();
    const bool ends_line = text_.empty() || text_.ends_with('\n');
    end_directive();
    SourceText result;
    if (wants_digests_) {
      result.digests = is_unclear_ ? digests_of_bytes() : writer_.finish(ends_line, has_empty_body_);
      result.tokens = writer_.take_short();
    }
    if (wants_names_) result.names = names_.finish();
    return result;
  }

  bool is_plain() const {
    return !is_unclear_ && names_.names.is_known && !has_unterminated_ && line_ == 1 && !has_comment_;
  }

 private:
  TokenDigests digests_of_bytes() const {
    const Digest bytes = Hasher("source bytes").field(text_).finish();
    return {bytes, bytes, bytes};
  }

  void give_up() {
    is_unclear_ = true;
    names_.names.is_known = false;
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void step() {
    const char c = text_[at_];
    if (is_blank(c) || (c == '\r' && peek(1) == '\n')) {
      ++at_;
      is_separated_ = true;
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
    } else {
      take_sign();
    }
  }

  // The first character behind a backslash that ends its line, or npos. Blanks between them are warned of.
  std::size_t behind_splice(std::size_t at) {
    std::size_t end = at + 1;
    while (end < text_.size() && (is_blank(text_[end]) || text_[end] == '\r')) ++end;
    if (end == text_.size() || text_[end] != '\n') return text_.npos;
    if (end != at + 1 && !(end == at + 2 && text_[at + 1] == '\r')) is_unclear_ = true;
    return end + 1;
  }

  void take_backslash() {
    const std::size_t behind = behind_splice(at_);
    if (behind == text_.npos) return take_word();
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
    if (wants_digests_) writer_.end_directive();
    names_.end_line();
    awaits_header_ = 0;
  }

  // Comments stand for a space.
  void take_comment() {
    has_comment_ = true;
    const std::size_t begin = at_;
    std::size_t end = 0;
    if (peek(1) == '/') {
      end = end_of_joined_line(text_, at_);
    } else {
      end = text_.find("*/", at_ + 2);
      if (end == text_.npos) give_up();
      end = end == text_.npos ? text_.size() : end + 2;
    }
    const std::string_view comment = text_.substr(begin, end - begin);
    const Remark remark = remark_of(comment);
    if (remark == Remark::unclear) give_up();
    if (wants_digests_) {
      if (is_first_) writer_.add_comment_line(text_.substr(line_begin_, begin - line_begin_));
      for (std::size_t nl = text_.find('\n', begin); nl < end; nl = text_.find('\n', nl + 1))
        writer_.add_comment_line(
            text_.substr(nl + 1, std::max(nl + 1, std::min(text_.find_first_not_of(" \t", nl + 1), end)) - nl - 1));
      writer_.add_comment(comment, remark);
    }
    if (const std::size_t last = comment.rfind('\n'); last != comment.npos) {
      line_ += static_cast<std::uint64_t>(std::count(comment.begin(), comment.end(), '\n'));
      line_begin_ = begin + last + 1;
      is_first_ = true;
    }
    at_ = end;
    is_separated_ = true;
  }

  void take_literal() {
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    for (; end < text_.size() && text_[end] != quote && text_[end] != '\n'; ++end) {
      if (text_[end] != '\\') continue;
      if (const std::size_t behind = behind_splice(end); behind != text_.npos) {
        pending_lines_.push_back(behind);
        end = behind - 1;
      } else if (end + 1 < text_.size()) {
        ++end;
      }
    }
    if (end < text_.size() && text_[end] == quote) return take_unit(Kind::literal, end + 1);
    take_unterminated(end);
  }

  // The rest of the line is one token, or every character one.
  void take_unterminated(std::size_t end) {
    const std::string_view rest = text_.substr(at_, end - at_);
    if (rest.find("/*") != rest.npos || rest.find('\\') != rest.npos) give_up();
    has_unterminated_ = true;
    take_unit(Kind::rest, end);
  }

  void take_raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos || open - at_ - 1 > kLongestRawDelimiter) return give_up_at_end();
    const std::string ending = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + '"';
    const std::size_t close = text_.find(ending, open);
    if (close == text_.npos) return give_up_at_end();
    const std::string_view inside = text_.substr(open, close - open);
    if (inside.find_first_of("\"\\\n") != inside.npos) names_.names.differs_by_language = true;
    for (std::size_t nl = text_.find('\n', at_); nl < close; nl = text_.find('\n', nl + 1))
      pending_lines_.push_back(nl + 1);
    take_unit(Kind::literal, close + ending.size());
  }

  void give_up_at_end() {
    give_up();
    at_ = text_.size();
  }

  void take_number() {
    std::size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      const char before = static_cast<char>(text_[end - 1] | 0x20);
      if (is_of_word(c) || c == '.' || ((c == '+' || c == '-') && (before == 'e' || before == 'p'))) continue;
      if (c != '\'' || end + 1 >= text_.size() || !is_of_word(text_[end + 1])) break;
      names_.names.differs_by_language = true;
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
    if (wants_names_ && directive_ == Directive::condition) names_.begin_condition(word);
    // The name of the directive is no name of the source, but its place counts.
    add_unit({.kind = Kind::word, .text = word, .is_adjacent = !is_separated_});
    at_ = end;
    is_separated_ = false;
    if (directive_ == Directive::header) take_header(word);
    if (directive_ == Directive::text) take_text();
  }

  void skip_blanks() {
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) is_separated_ = true;
  }

  void take_header(std::string_view word) {
    if (word == "embed") names_.names.reads_data = true;
    skip_blanks();
    if (peek() == '<' || peek() == '"') return take_header_name();
    names_.names.includes_by_macro = true;
  }

  // In a header's name nothing begins a comment or escapes a quote.
  void take_header_name() {
    const char close = peek() == '<' ? '>' : '"';
    const std::size_t end = text_.find(close, at_ + 1);
    const std::string_view name = text_.substr(at_, end - at_);
    if (end == text_.npos || name.find('\n') != name.npos || name.find('\\') != name.npos) return give_up_at_end();
    take_unit(Kind::rest, end + 1);
  }

  void take_text() {
    skip_blanks();
    const std::size_t end = end_of_joined_line(text_, at_);
    const std::string_view rest = text_.substr(at_, end - at_);
    if (rest.find("/*") != rest.npos) give_up();
    for (std::size_t nl = rest.find('\n'); nl != rest.npos; nl = rest.find('\n', nl + 1))
      pending_lines_.push_back(at_ + nl + 1);
    if (!rest.empty()) take_unit(Kind::rest, end);
  }

  void take_sign() {
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') is_unclear_ = true;  // form feeds, lone carriage returns
    if (awaits_header_ == 1 && c == '<') return take_header_name();
    awaits_header_ = awaits_header_ == 2 && c == '(' ? 1 : 0;
    const bool begins_directive = c == '#' && begins_line_;
    if (c == '%' && peek(1) == ':' && begins_line_) give_up();
    if (begins_directive) {
      directive_ = Directive::unnamed;
      units_of_directive_ = 0;
      if (wants_digests_) writer_.begin_directive();
    } else if (directive_ == Directive::unnamed) {
      directive_ = Directive::other;
    }
    take_unit(Kind::sign, at_ + 1);
  }

  void take_unit(Kind kind, std::size_t end) {
    Unit unit{.kind = kind,
              .text = text_.substr(at_, end - at_),
              .is_adjacent = !is_separated_ && has_unit_,
              .begins_line = begins_line_};
    if (directive_ == Directive::unnamed && kind != Kind::sign) directive_ = Directive::other;
    add_unit(unit);
    if (wants_names_ && directive_ != Directive::unnamed)
      names_.take_unit(unit, directive_, end < text_.size() ? text_[end] : '\0');
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
    if (is_joined_ && may_be_one) give_up();
    note_empty_body(unit);
    if (wants_digests_) {
      writer_.add(unit, {.is_first = is_first_,
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

  // Whether blanks before the unit count whatever the units are: behind the name of a macro, and in directives whose
  // text some compiler prints or hands on.
  bool counts_blanks() const {
    if (directive_ == Directive::define) return units_of_directive_ == kBehindName;
    return directive_ == Directive::other || directive_ == Directive::text;
  }

  // A loop or condition whose body is a semicolon in the same line: whether compilers warn depends on columns.
  void note_empty_body(const Unit& unit) {
    if (unit.is("(")) {
      heads_.push_back(before_.kind == Kind::word && holds(kBeforeBodies, before_.text) && !is_behind_block_);
    } else if (unit.is(")") && !heads_.empty()) {
      closes_head_ = heads_.back();
      heads_.pop_back();
      return;
    } else if (unit.is(";") && closes_head_ && !is_first_) {
      has_empty_body_ = true;
    }
    if (unit.kind == Kind::word) is_behind_block_ = before_.is("}");  // "} while (x);"
    closes_head_ = false;
  }

  const std::string_view text_;
  const bool wants_names_;
  const bool wants_digests_;
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
  int awaits_header_ = 0;  // 2: '(', 1: '<'
  Directive directive_ = Directive::none;
  unsigned units_of_directive_ = 0;
  Unit before_;
  std::vector<std::size_t> pending_lines_;  // where lines begin within the unit
  std::vector<bool> heads_;                 // for each open parenthesis, whether a body follows it
  bool closes_head_ = false;
  bool is_behind_block_ = false;
  bool has_empty_body_ = false;
  NameReader names_;
  TokenWriter writer_;
};

}  // namespace

SourceText scan_source(std::string_view text, Wanted wanted, std::vector<std::uint64_t>* lines) {
  return Scanner(text, wanted, lines).scan();
}

bool is_plain_value(std::string_view text) {
  if (text.find_first_of("\n\r\\") != text.npos) return false;
  Scanner scanner(text, Wanted::names);
  scanner.scan();
  return scanner.is_plain();
}

}  // namespace hipcache::inputs
