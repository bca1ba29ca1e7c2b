// What hipcache --doctor found, one line each.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_FINDINGS_H
#define HIPCACHE_SRC_CLI_DOCTOR_FINDINGS_H

#include <string>
#include <utility>
#include <vector>

namespace hipcache::cli {

// note: the user may not know it. warning: something does not work as wished. error: something does
// not work at all.
enum class Level { ok, note, warning, error };

struct Finding {
  Level level = Level::ok;
  std::string text;  // what is, and for a warning or an error the remedy
};

class Findings {
 public:
  void ok(std::string text) { add(Level::ok, std::move(text)); }
  void note(std::string text) { add(Level::note, std::move(text)); }
  void warning(std::string text) { add(Level::warning, std::move(text)); }
  void error(std::string text) { add(Level::error, std::move(text)); }
  void add(Level level, std::string text);  // line breaks become blanks

  const std::vector<Finding>& all() const { return all_; }
  bool has_error() const;
  // The findings of one level, for tests and for summaries.
  std::size_t count(Level level) const;

 private:
  std::vector<Finding> all_;
};

// "warning  text": the level is the line's first word.
std::string to_line(const Finding& finding);

}  // namespace hipcache::cli

#endif
