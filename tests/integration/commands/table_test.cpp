// Runs every command line of the table with every compiler that it is for. Each pair of a table and a compiler is one
// ctest entry, so one daemon and one directory serve many lines.
#include <gtest/gtest.h>

#include "integration/commands/line_check.h"
#include "integration/commands/table.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

constexpr std::size_t kFewest = 150;

struct TableFor {
  std::string name;
  Driver driver;
};

void PrintTo(const TableFor& table, std::ostream* out) { *out << table.name; }

std::string test_name(const testing::TestParamInfo<TableFor>& info) {
  const char* const drivers[] = {"Clang15", "Clang19", "Gcc"};
  return info.param.name + "_" + drivers[static_cast<int>(info.param.driver)];
}

// A table that cannot be read is listed for every driver, and fails there.
std::vector<TableFor> tables() {
  std::vector<TableFor> list;
  for (const std::string& name : table_names())
    for (const Driver driver : {Driver::kClang15, Driver::kClang19, Driver::kGcc})
      if (const Result<Table> table = read_table(name, driver); !table || !table->lines.empty())
        list.push_back({name, driver});
  return list;
}

class CommandTable : public testing::TestWithParam<TableFor> {
 protected:
  support::Scratch project_;
  Cache cache_;
};

TEST_P(CommandTable, HoldsForEveryLine) {
  const Result<Table> table = read_table(GetParam().name, GetParam().driver);
  ASSERT_TRUE(table.ok()) << table.error().message;
  write_runtime(project_);
  for (const auto& [name, text] : table->files) project_.write(name, text);
  LineCheck lines(cache_, project_.path(), GetParam().driver);
  for (const Line& line : table->lines) lines.check(line);
}

INSTANTIATE_TEST_SUITE_P(Tables, CommandTable, testing::ValuesIn(tables()), test_name);

TEST(CommandTableSize, IsThatOfTheSurface) {
  std::set<std::string> commands;
  for (const TableFor& each : tables()) {
    const Result<Table> table = read_table(each.name, each.driver);
    ASSERT_TRUE(table.ok()) << table.error().message;
    for (const Line& line : table->lines) commands.insert(line.run);
  }
  EXPECT_GE(commands.size(), kFewest);
}

}  // namespace
}  // namespace hipcache::integration
