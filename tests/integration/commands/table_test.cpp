// Runs every command line and every case of the tables with every compiler that it is for. Each pair of a table and a
// compiler is one ctest entry, so one daemon serves many of them; a table with many cases is several. The variable CASE
// chooses the cases whose names have its text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "integration/commands/case_check.h"
#include "integration/commands/line_check.h"
#include "integration/commands/table.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

constexpr std::size_t kFewest = 150;
constexpr std::size_t kCasesOfAPart = 10;

struct TableFor {
  std::string folder, name;
  Driver driver;
  std::size_t part = 0;  // of its cases

  Result<Table> read() const { return read_table(folder, name, driver); }
};

void PrintTo(const TableFor& table, std::ostream* out) { *out << table.name; }

std::string test_name(const testing::TestParamInfo<TableFor>& info) {
  const char* const drivers[] = {"Clang15", "Clang19", "Gcc"};
  const std::string part = info.param.part == 0 ? "" : "_" + std::to_string(info.param.part + 1);
  return info.param.name + "_" + drivers[static_cast<int>(info.param.driver)] + part;
}

// A table that cannot be read is listed for every driver, and fails there.
std::vector<TableFor> tables(const std::string& folder) {
  std::vector<TableFor> list;
  for (const std::string& name : table_names(folder))
    for (const Driver driver : {Driver::kClang15, Driver::kClang19, Driver::kGcc})
      if (const Result<Table> table = read_table(folder, name, driver);
          !table || !table->lines.empty() || !table->cases.empty())
        for (std::size_t part = 0; part == 0 || (table.ok() && part * kCasesOfAPart < table->cases.size()); ++part)
          list.push_back({folder, name, driver, part});
  return list;
}

class CommandTable : public testing::TestWithParam<TableFor> {
 protected:
  support::Scratch project_;
  Cache cache_;
};

TEST_P(CommandTable, HoldsForEveryLine) {
  const Result<Table> table = GetParam().read();
  ASSERT_TRUE(table.ok()) << table.error().message;
  write_runtime(project_);
  for (const auto& [name, text] : table->files) project_.write(name, text);
  LineCheck lines(cache_, project_.path(), GetParam().driver);
  for (const Line& line : table->lines) lines.check(line);
}

INSTANTIATE_TEST_SUITE_P(Tables, CommandTable, testing::ValuesIn(tables("commands")), test_name);

class CaseTable : public testing::TestWithParam<TableFor> {};

TEST_P(CaseTable, HoldsForEveryCase) {
  const Result<Table> table = GetParam().read();
  ASSERT_TRUE(table.ok()) << table.error().message;
  const char* const chosen = std::getenv("CASE");
  CaseCheck cases(GetParam().driver);
  const std::size_t first = GetParam().part * kCasesOfAPart;
  for (std::size_t i = first; i < std::min(table->cases.size(), first + kCasesOfAPart); ++i)
    if (const Case& one = table->cases[i]; chosen == nullptr || one.name.find(chosen) != std::string::npos)
      cases.check(one, table->files);
}

INSTANTIATE_TEST_SUITE_P(Tables, CaseTable, testing::ValuesIn(tables("cases")), test_name);

TEST(CommandTableSize, IsThatOfTheSurface) {
  std::set<std::string> commands;
  for (const TableFor& each : tables("commands")) {
    const Result<Table> table = each.read();
    ASSERT_TRUE(table.ok()) << table.error().message;
    for (const Line& line : table->lines) commands.insert(line.run);
  }
  EXPECT_GE(commands.size(), kFewest);
}

}  // namespace
}  // namespace hipcache::integration
