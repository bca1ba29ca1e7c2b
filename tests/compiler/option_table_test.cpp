#include "compiler/options/option_table.h"

#include <gtest/gtest.h>
#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/Option.h>

#include <string>
#include <vector>

namespace hipcache::compiler {
namespace {

using namespace options;
using llvm::opt::Option;

// The option as a command has it, with values that begin no other option's name.
std::vector<std::string> spelled(const Option& option) {
  std::vector<std::string> words = {std::string(option.getPrefix()) + std::string(option.getName())};
  switch (option.getKind()) {
    case Option::JoinedClass:
    case Option::CommaJoinedClass:
    case Option::JoinedOrSeparateClass:
    case Option::ValuesClass:
      words[0] += "~";
      break;
    case Option::JoinedAndSeparateClass:
      words[0] += "~";
      words.emplace_back("~");
      break;
    case Option::SeparateClass:
    case Option::RemainingArgsClass:
      words.emplace_back("~");
      break;
    case Option::MultiArgClass:
      words.insert(words.end(), option.getNumArgs(), "~");
      break;
    default:
      break;
  }
  return words;
}

unsigned id_of(const std::vector<std::string>& words, unsigned reader) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const auto arguments = option_table().ParseArgs(pointers, missing_index, missing_count, reader);
  return arguments.size() == 1 && missing_count == 0 ? (*arguments.begin())->getOption().getID()
                                                     : unsigned{OPT_INVALID};
}

// LLVM looks options up in a sorted table, each release in another one.
TEST(OptionTable, ReadsEachOfItsOptions) {
  int read = 0;
  for (unsigned id = 1; id <= option_table().getNumOptions(); ++id) {
    const Option option = option_table().getOption(id);
    for (const unsigned reader : {kDriver, kCc1}) {
      if (!option.hasFlag(reader) || option.getPrefix().empty()) continue;
      EXPECT_EQ(id_of(spelled(option), reader), option.getUnaliasedOption().getID()) << spelled(option)[0];
      ++read;
    }
  }
  EXPECT_GT(read, 4000);
}

TEST(OptionTable, TellsTheDriverFromTheFrontEnd) {
  EXPECT_EQ(id_of({"--offload-host-only"}, kDriver), unsigned{OPT_offload_host_only});
  EXPECT_EQ(id_of({"--offload-host-only"}, kCc1), unsigned{OPT_UNKNOWN});
  EXPECT_EQ(id_of({"-main-file-name", "a.hip"}, kCc1), unsigned{OPT_main_file_name});
  EXPECT_EQ(id_of({"/D/a.hip"}, kDriver), unsigned{OPT_INPUT}) << "no option of cl";
}

TEST(OptionTable, HasTheOptionsOfLaterClangsAsNotJudged) {
  EXPECT_EQ(id_of({"--offload-jobs=4"}, kDriver), unsigned{OPT_offload_jobs_EQ});
  EXPECT_TRUE(option_table().getOption(OPT_offload_jobs_EQ).hasFlag(kUnjudged));
  EXPECT_FALSE(option_table().getOption(OPT_offload_arch_EQ).hasFlag(kUnjudged));
}

}  // namespace
}  // namespace hipcache::compiler
