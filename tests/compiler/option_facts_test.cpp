// The table of what hipcache knows of options: its form, its agreement with clang's own table, and a line for each
// fact.
#include "hipcache/compiler/option_facts.h"

#include <gtest/gtest.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/Option.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/options/option_table.h"
#include "compiler/options/unknown_option.h"
#include "hipcache/base/reason.h"

namespace hipcache::compiler {
namespace {

using llvm::opt::Option;
using namespace facts;

struct Line {
  std::string name;  // as the table has it: "-x*"
  std::string facts;
  bool is_gccs = false;

  std::string key() const { return name.ends_with('*') ? name.substr(0, name.size() - 1) : name; }
  bool has(const char* fact) const { return (" " + facts + " ").find(" " + std::string(fact) + " ") != facts.npos; }
};

std::vector<Line> lines_of(const char* file) {
  std::ifstream table(std::string(HIPCACHE_SOURCE_DIR "/src/compiler/options/") + file);
  const std::regex form(R"re(\s+\{"([^"]+)", ([^,}]+)(, Reason::\w+)?(, Cc1Role::\w+)?\},(  // .+)?)re");
  std::vector<Line> lines;
  std::smatch parts;
  for (std::string line; std::getline(table, line);)
    if (!line.starts_with("//")) {
      EXPECT_TRUE(std::regex_match(line, parts, form)) << line;
      lines.push_back({parts[1], parts[2].str() + (parts[4].matched ? " role" : ""), parts[5] == "  // gcc's"});
    }
  return lines;
}

std::vector<Line> all_lines() {
  std::vector<Line> lines = lines_of("command_facts.inc");
  const std::vector<Line> others = lines_of("plan_facts.inc");
  lines.insert(lines.end(), others.begin(), others.end());
  return lines;
}

// The names that an option of clang may have: many take both prefixes.
std::vector<std::string> spellings(const Option& option) {
  const std::string name = spelled(option);
  return {name, name.starts_with("--") ? name.substr(1) : "-" + name};
}

std::vector<Option> options_of_clang(unsigned reader) {
  std::vector<Option> found;
  for (unsigned id = 1; id <= option_table().getNumOptions(); ++id) {
    const Option option = option_table().getOption(id);
    if (option.hasFlag(reader) && !option.getPrefix().empty()) found.push_back(option);
  }
  return found;
}

TEST(OptionFacts, HaveEachNameOnceInAlphabeticalOrder) {
  std::set<std::string> names;
  for (const char* file : {"command_facts.inc", "plan_facts.inc"}) {
    const std::vector<Line> lines = lines_of(file);
    EXPECT_GT(lines.size(), 100u);
    EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end(), [](const Line& one, const Line& other) {
      return one.key() != other.key() ? one.key() < other.key() : one.name < other.name;
    })) << file;
    for (const Line& line : lines) EXPECT_TRUE(names.insert(line.name).second) << line.name;
  }
}

TEST(OptionFacts, SayThatAnOptionOfClangTakesTheNextWordWhereClangsTableDoes) {
  for (const char* name : {"-I", "-isystem", "-target", "--sysroot", "--for-linker", "-mllvm", "-T", "-u"})
    EXPECT_TRUE(option_has(name, takes_next)) << name;
  for (const char* name : {"-Xarch_host", "-meabi", "-undefined", "-G", "-sectcreate", "-c", "-Wall", "--cstdlib"})
    EXPECT_FALSE(option_has(name, takes_next)) << name;
  // What the table adds is not in our lines.
  for (const Line& line : lines_of("command_facts.inc")) EXPECT_EQ(line.has("takes_next"), line.is_gccs) << line.name;
}

TEST(OptionFacts, OfASplitCompileNameOptionsThatClangHas) {
  std::vector<std::string> names;
  for (const unsigned reader : {options::kDriver, options::kCc1})
    for (const Option& option : options_of_clang(reader))
      for (const std::string& name : spellings(option)) names.push_back(name);
  for (const Line& line : all_lines()) {
    if (!line.has("plan_refuses") && !line.has("plan_accepts") && !line.has("cc1_refuses") &&
        !line.has("judged_later") && !line.has("whole_command") && !line.has("role"))
      continue;
    const auto is_one = [&](const std::string& name) {
      return line.name.ends_with('*') ? name.starts_with(line.key()) : name == line.name;
    };
    EXPECT_TRUE(line.name == "--" || std::any_of(names.begin(), names.end(), is_one)) << line.name;
  }
}

// A word, and a fact that it has. A new line of the table adds a line here.
TEST(OptionFacts, AreThoseOfTheWord) {
  const std::pair<const char*, OptionFacts> words[] = {{"-isystem", takes_next},
                                                       {"-main-file-name", job_takes_next},
                                                       {"-dependency-file", takes_name},
                                                       {"-imacros", reads_next},
                                                       {"-DX=1", joins_name},
                                                       {"-Wp,-MMD,", before_path},
                                                       {"-iframework", below_sysroot},
                                                       {"-iwithprefixbefore", behind_prefix},
                                                       {"--sysroot=/s", prefixes_others},
                                                       {"-iprefix/p", prefixes_by_text},
                                                       {"-Wp,-DX", to_frontend},
                                                       {"-mllvm", to_backend},
                                                       {"--for-assembler", to_assembler},
                                                       {"-Wl,-s", to_linker},
                                                       {"-pthread", stands_alone},
                                                       {"--define-macro=X", defines_macro},
                                                       {"--precompile", stops_before_link},
                                                       {"--cuda-host-only", gives_no_id},
                                                       {"-frecord-gcc-switches", records_command},
                                                       {"-fstack-usage", derives_files},
                                                       {"-fcallgraph-info", unclear_names},
                                                       {"-fmemory-profile=x", hides_names},
                                                       {"-gz=zlib", hides_debug_names},
                                                       {"-fsanitize-ignorelist=l", names_list},
                                                       {"-flto=thin", defers_code},
                                                       {"-dwarf-version=5", records_paths},
                                                       {"-ftime-trace-granularity=9", refused},
                                                       {"-fembed-bitcode=", plan_refuses},
                                                       {"-resource-dir", plan_accepts},
                                                       {"-cuid=", whole_command},
                                                       {"-stats-file=s", cc1_refuses},
                                                       {"-menable-unsafe-fp-math", judged_later},
                                                       {"-fnamed-loops", judged_later},
                                                       {"-pic-level", same_for_both},
                                                       {"-oa.o", names_output},
                                                       {"--emit-static-lib", updates_output},
                                                       {"--language=c", names_language},
                                                       {"--specs=s", names_specs},
                                                       {"--gen-cdb-fragment-path=d", writes_command},
                                                       {"--preprocess", prints_or_checks},
                                                       {"-emit-pch", makes_ast},
                                                       {"-fcuda-rdc", makes_relocatable},
                                                       {"-fno-gpu-rdc", makes_complete},
                                                       {"-cuid=1", names_id},
                                                       {"-fuse-cuid=random", draws_id},
                                                       {"-fuse-cuid=none", makes_no_id},
                                                       {"--offload-arch=gfx906", names_arch},
                                                       {"-fprofile-instr-use=p", hides_source_name}};
  const std::tuple<const char*, OptionFacts, Tool> words_of_tools[] = {
      {"print-map", asks_program, Tool::linker},  {"gc-sections", is_safe, Tool::linker},
      {"shared", of_device_links, Tool::linker},  {"lto-O2", word_of_device_links, Tool::linker},
      {"compress", bundles, Tool::bundler},       {"type=o", unbundles, Tool::bundler},
      {"wrapper-jobs=2", is_safe, Tool::wrapper}, {"H", asks_program, Tool::archiver},
      {"time-trace-file", refused, Tool::iree}};
  OptionFacts tested = 0;
  for (const auto& [word, fact] : words) {
    EXPECT_TRUE(option_has(word, fact)) << word;
    EXPECT_FALSE(option_has("x" + std::string(word), fact)) << word;
    tested |= fact;
  }
  for (const auto& [word, fact, tool] : words_of_tools) {
    EXPECT_TRUE(option_has(word, fact, tool)) << word;
    EXPECT_FALSE(option_has(word, fact)) << word << " is another program's";
    tested |= fact;
  }
  EXPECT_EQ(tested, all_facts);
}

TEST(OptionFacts, OfAWholeWordAreNotThoseOfItsBeginning) {
  EXPECT_TRUE(option_has("-I", takes_next));
  EXPECT_FALSE(option_has("-I/x", takes_next));
  EXPECT_FALSE(option_has("-isyste", takes_next));
  EXPECT_FALSE(option_has("", ~none));
  EXPECT_TRUE(is_option("-D", defines_macro));
  EXPECT_FALSE(is_option("-DX", defines_macro));
  EXPECT_FALSE(is_option("", ~none));
  EXPECT_FALSE(option_has("a.c", ~none));
}

TEST(OptionFacts, AreCollectedFromAllLinesOfTheWord) {
  // "-fgpu-rdc", "-fgpu*" and "-f*".
  EXPECT_EQ(facts_of("-fgpu-rdc"), whole_command | makes_relocatable | unclear_names | stands_alone);
  EXPECT_EQ(facts_of("-fgpu-rdcx"), unclear_names | stands_alone);
  EXPECT_EQ(facts_of("a.c"), none);
}

TEST(OptionFacts, SayWhetherAWordNeedsNoFurtherOne) {
  for (const char* word : {"-isystem/x", "-isystem../x", "-iquote/x", "-idirafter/x", "-include/x.h", "-I/x", "-B/x",
                           "-MF/x", "-DX", "-Wall", "--hip-path=/x", "a.cpp", "-fPIC"})
    EXPECT_TRUE(is_complete(word)) << word;
  for (const char* word :
       {"-isystem", "-isystem-after", "-include", "-include-pch", "-D", "-o", "-Xclang", "-unknown/x", "-x"})
    EXPECT_FALSE(is_complete(word)) << word;
}

TEST(OptionFacts, NameTheLongestOptionThatHasTheFact) {
  EXPECT_EQ(option_with("--include-with-prefix-before=x", behind_prefix), "--include-with-prefix");
  EXPECT_EQ(option_with("-isysroot/x", prefixes_others), "-isysroot");
  EXPECT_EQ(option_with("-isysroot/x", hides_names), "");
}

TEST(OptionFacts, SayWhyAnOptionIsRefused) {
  EXPECT_EQ(reason_against("-fplugin=x.so", refused), Reason::plugin);
  EXPECT_EQ(reason_against("-fmodules", refused), Reason::modules);
  EXPECT_EQ(reason_against("-fmodules-decluse", refused), Reason::none) << "only a split compile refuses it";
  EXPECT_EQ(reason_against("-fmodules-decluse", plan_refuses), Reason::modules);
  EXPECT_EQ(reason_against("perf", refused, Tool::linker), Reason::statistics);
  EXPECT_EQ(reason_against("gc-sections", refused, Tool::linker), Reason::none);
  EXPECT_FALSE(option_has("Map", is_safe, Tool::linker));
  EXPECT_EQ(reason_against("time-trace-file", refused, Tool::iree), Reason::time_trace);
  EXPECT_EQ(reason_against("iree-hip-target", refused, Tool::iree), Reason::none);
}

TEST(OptionFacts, AreOfTheNameWithoutDashesForTools) {
  EXPECT_EQ(bare_option("--build-id=sha1"), "build-id=sha1");
  EXPECT_EQ(bare_option("-shared"), "shared");
  EXPECT_EQ(bare_option("shared"), "");
  EXPECT_EQ(bare_option("-"), "");
}

TEST(OptionFacts, TellValuesThatAreJoinedOrTheNextWord) {
  const std::vector<std::string> arguments{"gcc", "-specs=a", "--specs", "b", "-o", "c", "--specs=d", "-specs"};
  EXPECT_EQ(values_of(arguments, names_specs), (std::vector<std::string>{"a", "b", "d"}));
}

// A name is judged by the words in it, which are found by a binary search.
TEST(NameWords, AreEachFoundInANameAndByItself) {
  std::ifstream table(HIPCACHE_SOURCE_DIR "/src/compiler/options/name_words.inc");
  const std::regex form(R"re(\s+\{"(\w+)", ([\w |]+)\},)re");
  std::smatch parts;
  std::vector<std::string> words;
  for (std::string line; std::getline(table, line);)
    if (!line.starts_with("//")) {
      EXPECT_TRUE(std::regex_match(line, parts, form)) << line;
      words.push_back(parts[1]);
    }
  EXPECT_GT(words.size(), 80u);
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  for (const std::string& word : words) {
    EXPECT_TRUE(name_has(word, ~NameFacts{0})) << word;
    EXPECT_TRUE(name_has("x-f" + word + "-y", ~NameFacts{0})) << word;
    EXPECT_FALSE(name_has("x" + word, ~NameFacts{0})) << word;
  }
  EXPECT_TRUE(name_has("ftime-report", name_words::does_more));
  EXPECT_FALSE(name_has("documentation", name_words::does_more));
}

TEST(OptionFacts, HaveTheRolesOfJobs) {
  EXPECT_EQ(cc1_role("-dependency-file"), Cc1Role::depfile);
  EXPECT_EQ(cc1_role("-fno-rtti"), Cc1Role::plain);
}

}  // namespace
}  // namespace hipcache::compiler
