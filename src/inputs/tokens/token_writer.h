// Writes the tokens of a source for its three digests, each with as much of their places as its question asks.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_TOKEN_WRITER_H
#define HIPCACHE_SRC_INPUTS_TOKENS_TOKEN_WRITER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/tokens/comments.h"
#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

// Where a unit stands.
struct UnitPlace {
  bool is_first = false;    // in its physical line
  bool is_joined = false;   // that line continues the one before
  bool may_be_one = false;  // one token with the unit before, to some compiler
  bool counts_blanks = false;
  std::uint64_t line = 1;
  std::size_t column = 0;
  std::string_view indentation;  // what stands before it in its line
};

class TokenWriter {
 public:
  explicit TokenWriter(std::size_t size);

  void add(const Unit& unit, const UnitPlace& place);
  void begin_directive();
  void end_directive();
  // A backslash that joins the next line, at the end of whatever stands before it or behind a blank.
  void add_splice(bool is_separated);
  // A line that a comment begins or goes on in, and that is not blank. -Wmisleading-indentation of gcc 12 to 16 looks
  // for a line between two statements that is less indented than they are, and takes a comment's for one
  // (c-indentation.cc). A comment that is indented as the line of code behind it, or further, tells gcc nothing that
  // line does not: it counts only if that line has a single character, which gcc overlooks.
  void add_comment_line(std::string_view indentation) { comment_lines_.push_back(indentation); }
  // What a message may show of a comment: the whole text, or the characters beyond ASCII and the ends of lines between.
  void add_comment(std::string_view comment, Remark remark);

  // `keeps_columns`: also for the weakest question.
  TokenDigests finish(bool ends_line, bool keeps_columns);
  std::vector<std::uint16_t> take_short() { return std::move(short_); }

 private:
  void add_everywhere(char c);
  void settle_comment_lines(const Unit& unit, const UnitPlace& place);
  void add_counted_line(std::string_view indentation);

  std::string tokens_, in_order_, in_place_;
  std::vector<std::string_view> comment_lines_;  // before the next unit
  std::vector<std::string_view> before_sign_;    // of these, what counts if the last unit is alone in its line
  std::vector<std::uint16_t> short_;
};

}  // namespace hipcache::inputs

#endif
