#include "integration/commands/table.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "hipcache/base/files.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

const fs::path kTables = HIPCACHE_SOURCE "/fixtures/commands";
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

bool is_for_gcc(const std::string& run) { return run.starts_with("gcc ") || run.starts_with("g++ "); }

// The row for one driver; the driver's own entries override the row's.
std::optional<toml::table> row_for(const toml::table& table, Driver driver) {
  if (is_for_gcc(table["run"].value_or(std::string())) != (driver == Driver::kGcc)) return std::nullopt;
  if (const auto only = table["only"].value<std::string>(); only && *only != key_of(driver)) return std::nullopt;
  toml::table row = table;
  row.erase("only");
  for (const char* key : kOverrides) {
    if (const toml::table* particular = table[key].as_table(); particular != nullptr && key == key_of(driver))
      for (const auto& [name, node] : *particular) row.insert_or_assign(name.str(), node);
    row.erase(key);
  }
  return row;
}

}  // namespace

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kTables))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

Result<Table> read_table(const std::string& name, Driver driver) {
  const std::string path = kTables / (name + ".toml");
  Result<std::string> bytes = read_file(path, kLimit);
  if (!bytes) return bytes.error();
  const toml::parse_result parsed = toml::parse(*bytes);
  if (!parsed) return Error{path + ": " + std::string(parsed.error().description())};

  Row row(parsed.table());
  Table table;
  row.read("files", table.files);
  for (const toml::table* entry : row.tables("line")) {
    const std::optional<toml::table> particular = row_for(*entry, driver);
    if (!particular) continue;
    Result<Line> line = read_row(*particular, read_line);
    if (!line) return Error{path + ": " + line.error().message};
    table.lines.push_back(std::move(*line));
  }
  if (auto error = row.error()) return Error{path + ": " + error->message};
  return table;
}

}  // namespace hipcache::integration
