#include "integration/commands/table.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = HIPCACHE_SOURCE "/fixtures";
constexpr std::uint64_t kLimit = 1u << 20;
constexpr const char* kOverrides[] = {"clang15", "clang19", "gcc"};  // in the order of Driver

std::string key_of(Driver driver) { return kOverrides[static_cast<int>(driver)]; }

// Reads the values of one TOML table, each key once. Keeps the first error: a wrong or unknown key.
class Row {
 public:
  explicit Row(const toml::table& table) : table_(table) {}

  void read(const char* key, std::string& into) { value(key, into, "a string"); }
  void read(const char* key, bool& into) { value(key, into, "true or false"); }
  void read(const char* key, int& into) { value(key, into, "a number"); }

  // A string of words or a list of strings.
  template <typename List>
  void read_list(const char* key, List& into) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    if (const auto text = node->value<std::string>()) {
      const Arguments list = words(*text);
      into = List(list.begin(), list.end());
      return;
    }
    if (!node->is_array()) return wrong(*node, key, "a string or a list of strings");
    into.clear();
    for (const toml::node& item : *node->as_array()) into.insert(into.end(), item.value_or(std::string()));
  }

  void read(const char* key, Texts& into) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    if (!node->is_table()) return wrong(*node, key, "a table");
    for (const auto& [name, text] : *node->as_table()) into[std::string(name.str())] = text.value_or(std::string());
  }

  // By name, lists of strings.
  void read(const char* key, Lists& into) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    if (!node->is_table()) return wrong(*node, key, "a table");
    for (const auto& [name, list] : *node->as_table()) {
      if (!list.is_array()) return wrong(list, name.str(), "a list of strings");
      std::vector<std::string>& texts = into[std::string(name.str())];
      for (const toml::node& item : *list.as_array()) texts.push_back(item.value_or(std::string()));
    }
  }

  // The tables of an array.
  std::vector<const toml::table*> tables(const char* key) {
    std::vector<const toml::table*> tables;
    const toml::node* node = take(key);
    if (node == nullptr) return tables;
    if (!node->is_array_of_tables()) {
      wrong(*node, key, "a list of tables");
      return tables;
    }
    for (const toml::node& item : *node->as_array()) tables.push_back(item.as_table());
    return tables;
  }

  void must(bool holds, const std::string& message) {
    if (!holds && !error_) error_ = at(table_, message);
  }

  // Whether a part of the table could be read.
  template <typename T>
  bool holds(const Result<T>& part) {
    if (!part && !error_) error_ = part.error();
    return part.ok();
  }

  // Whether the key is there; it is known then.
  bool has(const char* key) { return take(key) != nullptr; }

  // The first error in what was read, and in the rest.
  std::optional<Error> wrong_value() const { return error_; }
  std::optional<Error> error() {
    for (const auto& [key, node] : table_)
      if (!seen_.contains(std::string(key.str()))) wrong(node, key.str(), "known");
    return error_;
  }

 private:
  const toml::node* take(const char* key) {
    seen_.insert(key);
    return table_.get(key);
  }

  template <typename T>
  void value(const char* key, T& into, const char* expected) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const auto found = node->value<T>();
    if (!found) return wrong(*node, key, expected);
    into = *found;
  }

  void wrong(const toml::node& node, std::string_view key, const char* expected) {
    if (!error_) error_ = at(node, std::string(key) + " is not " + expected);
  }

  static Error at(const toml::node& node, const std::string& message) {
    return Error{"line " + std::to_string(node.source().begin.line) + ": " + message};
  }

  const toml::table& table_;
  std::set<std::string> seen_;
  std::optional<Error> error_;
};

// One table as a T; `read` reads its keys.
template <typename T>
Result<T> read_row(const toml::table& table, void (*read)(Row&, T&)) {
  Row row(table);
  T value;
  read(row, value);
  if (auto error = row.error()) return *error;
  return value;
}

void read_afterwards(Row& row, Afterwards& then) {
  row.read("run", then.run);
  row.read("edit", then.edit);
  row.read_list("runs", then.runs);
  row.read_list("may_run", then.may_run);
}

void read_line(Row& row, Line& line) {
  row.read("run", line.run);
  row.read("cached", line.cached);
  row.read("passes", line.passes);
  row.read("not_stored", line.not_stored);
  row.read("fails", line.fails);
  if (line.fails) line.exit_code = 1;
  row.read("exit_code", line.exit_code);
  row.read_list("leaves", line.leaves);
  row.read("says", line.says);
  row.read_list("before", line.before);
  row.read("grows", line.grows);
  row.read_list("random", line.random);
  row.read("variables", line.variables);
  for (const toml::table* then : row.tables("then"))
    if (Result<Afterwards> read = read_row(*then, read_afterwards); row.holds(read)) line.then.push_back(*read);
  row.must(!line.run.empty(), "no command");
  row.must(line.cached.empty() || line.cached == "planned" || line.cached == "opaque" || line.cached == "link",
           "cached in no known way");
  const int outcomes = !line.cached.empty() + !line.passes.empty() + !line.not_stored.empty() + line.fails;
  row.must(outcomes == 1, "should have one of: cached, passes, not_stored, fails");
}

// Calls `change` for every string in the node.
void for_each_text(toml::node& node, const std::function<void(std::string&)>& change) {
  if (toml::value<std::string>* text = node.as_string()) change(text->get());
  if (toml::array* array = node.as_array())
    for (toml::node& item : *array) for_each_text(item, change);
  if (toml::table* table = node.as_table())
    for (auto&& [key, item] : *table) for_each_text(item, change);
}

// Entries that `row` lacks, from the row above it.
void inherit(toml::table& row, const toml::table& above) {
  for (const char* key : {"run", "flags", "in", "below", "variables"})
    if (const toml::node* node = above.get(key); node != nullptr && !row.contains(key)) row.insert(key, *node);
}

// "{one,two}/a.h" are two names.
void put(Texts& texts, const std::string& name, const std::string& text) {
  const std::size_t begin = name.find('{'), end = name.find('}');
  if (begin == std::string::npos || end == std::string::npos) {
    texts[name] = text;
    return;
  }
  std::istringstream alternatives(name.substr(begin + 1, end - begin - 1));
  for (std::string each; std::getline(alternatives, each, ',');)
    put(texts, name.substr(0, begin) + each + name.substr(end + 1), text);
}

Texts with_alternatives(const Texts& texts) {
  Texts all;
  for (const auto& [name, text] : texts) put(all, name, text);
  return all;
}

void read_case_run(Row& row, CaseRun& run) {
  std::string flags;
  row.read("edit", run.edit);
  row.read("unnoticed", run.unnoticed);
  row.read_list("before", run.before);
  row.read("run", run.run);
  row.read("flags", flags);
  row.read("in", run.in);
  row.read("below", run.below);
  row.read("variables", run.variables);
  if (row.has("runs")) {
    row.read_list("runs", run.runs.emplace());
    for (std::size_t all = run.runs->count("devices"); all > 0; --all) {
      run.runs->erase(run.runs->find("devices"));
      run.runs->insert({"gfx1030", "gfx906"});
    }
  }
  row.read("passes", run.passes);
  row.read_list("not_stored", run.not_stored);
  row.read("fails", run.fails);
  if (run.fails) run.exit_code = 1;
  row.read("exit_code", run.exit_code);
  row.read_list("leaves", run.leaves);
  row.read("says", run.says);
  row.read("holds", run.holds);
  row.read("explains", run.explains);
  if (row.has("ties")) row.read("ties", run.ties.emplace());
  run.edit = with_alternatives(run.edit);
  run.run = replace_all(std::move(run.run), "{flags}", flags);
  row.must(!run.run.empty(), "no command");
  row.must(run.passes.empty() || !run.runs, "a bypass runs no step");
}

// The driver's own entries override the row's.
void override_for(toml::table& row, Driver driver) {
  for (const char* key : kOverrides) {
    if (const toml::table* particular = row[key].as_table(); particular != nullptr && key == key_of(driver)) {
      const toml::table own = *particular;
      for (const auto& [name, node] : own) row.insert_or_assign(name.str(), node);
    }
    row.erase(key);
  }
}

// Whether the row, or else the one above it, is for the driver. Takes the list out of the row.
Result<bool> take_compilers(toml::table& row, const std::string& above, Driver driver) {
  const Arguments compilers = words(row["compilers"].value_or(above));
  row.erase("compilers");
  const auto is_known = [](const std::string& name) { return std::ranges::count(kOverrides, name) == 1; };
  if (compilers.empty() || !std::ranges::all_of(compilers, is_known)) return Error{"which compilers?"};
  return std::ranges::count(compilers, key_of(driver)) == 1;
}

// The case's own keys are those of its first run; `then` has the others.
Result<Case> read_case(const toml::table& table, Driver driver) {
  Case one;
  std::vector<toml::table> runs;
  Row row(table);
  row.read("name", one.name);
  row.read("files", one.files);
  one.files = with_alternatives(one.files);
  row.must(!one.name.empty(), "a case without a name");
  for (const toml::table* then : row.tables("then")) {
    toml::table run = *then;
    inherit(run, table);
    const Result<bool> is_for_driver = take_compilers(run, key_of(driver), driver);
    if (row.holds(is_for_driver) && *is_for_driver) runs.push_back(std::move(run));
  }
  toml::table first = table;
  for (const char* key : {"name", "files", "then"}) first.erase(key);
  runs.insert(runs.begin(), std::move(first));
  for (toml::table& run : runs) {
    override_for(run, driver);
    Result<CaseRun> read = read_row(run, read_case_run);
    if (!row.holds(read)) break;
    one.runs.push_back(std::move(*read));
  }
  if (auto error = row.wrong_value()) return Error{"case \"" + one.name + "\": " + error->message};
  return one;
}

// One case, or one for each value of `each`.
Status read_cases(toml::table table, const toml::table& above, Driver driver, std::vector<Case>& cases) {
  const Result<bool> is_for_driver = take_compilers(table, above["compilers"].value_or(std::string()), driver);
  if (!is_for_driver) return is_for_driver.error();
  if (!*is_for_driver) return done();
  inherit(table, above);
  override_for(table, driver);
  std::vector<std::string> values{""};
  if (const toml::array* each = table["each"].as_array()) {
    values.clear();
    for (const toml::node& value : *each) values.push_back(value.value_or(std::string()));
  }
  table.erase("each");
  for (const std::string& value : values) {
    toml::table particular = table;
    for_each_text(particular, [&](std::string& text) { text = replace_all(std::move(text), "{each}", value); });
    Result<Case> one = read_case(particular, driver);
    if (!one) return one.error();
    if (!value.empty()) one->name += ": " + value;
    cases.push_back(std::move(*one));
  }
  return done();
}

bool is_for_gcc(const std::string& run) { return run.starts_with("gcc ") || run.starts_with("g++ "); }

// The row for one driver.
std::optional<toml::table> row_for(const toml::table& table, Driver driver) {
  if (is_for_gcc(table["run"].value_or(std::string())) != (driver == Driver::kGcc)) return std::nullopt;
  if (const auto only = table["only"].value<std::string>(); only && *only != key_of(driver)) return std::nullopt;
  toml::table row = table;
  row.erase("only");
  override_for(row, driver);
  return row;
}

}  // namespace

std::vector<std::string> table_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFixtures / folder))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

Result<Table> read_table(const std::string& folder, const std::string& name, Driver driver) {
  const std::string path = kFixtures / folder / (name + ".toml");
  Result<std::string> bytes = read_file(path, kLimit);
  if (!bytes) return bytes.error();
  const toml::parse_result parsed = toml::parse(*bytes);
  if (!parsed) return Error{path + ": " + std::string(parsed.error().description())};

  Row row(parsed.table());
  Table table;
  row.read("files", table.files);
  table.files = with_alternatives(table.files);
  for (const toml::table* entry : row.tables("line")) {
    const std::optional<toml::table> particular = row_for(*entry, driver);
    if (!particular) continue;
    Result<Line> line = read_row(*particular, read_line);
    if (!line) return Error{path + ": " + line.error().message};
    table.lines.push_back(std::move(*line));
  }
  for (const char* key : {"compilers", "run", "flags", "in", "below", "variables"}) row.has(key);
  for (const toml::table* entry : row.tables("case"))
    if (Status read = read_cases(*entry, parsed.table(), driver, table.cases); !read)
      return Error{path + ": " + read.error().message};
  if (auto error = row.error()) return Error{path + ": " + error->message};
  return table;
}

}  // namespace hipcache::integration
