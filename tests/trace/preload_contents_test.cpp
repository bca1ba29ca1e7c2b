// What a trace holds for a comparison with another machine: contents, and kinds of entries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "hipcache/base/files.h"
#include "hipcache/trace/seen.h"
#include "trace/traced.h"

namespace hipcache::trace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class PreloadContents : public testing::Test {
 protected:
  Traced traced;

  // `cat` opens what it is given.
  void run(const std::string& name, bool with_contents) {
    if (with_contents) traced.changes[std::string(kContents)] = "1";
    ASSERT_EQ(traced.run({"cat", name}).exit_code, 0) << traced.output;
  }

  std::vector<Record> contents() const {
    std::vector<Record> contents;
    for (const Record& record : traced.trace.records)
      if (record.kind == Kind::content) contents.push_back(record);
    return contents;
  }
};

TEST_F(PreloadContents, RecordsAllBytesOfAnOpenedFileUnderItsRealName) {
  const support::Scratch elsewhere;  // files beside the trace are the step's own
  const std::string path = elsewhere.write("there", std::string(50'000, 'x'));
  elsewhere.link("link", "there");
  run(elsewhere / "link", true);
  EXPECT_THAT(contents(), Contains(Record{Kind::content, true, real_path(path), *content_of(path)}));
  EXPECT_TRUE(traced.has(Kind::open_read, true, elsewhere / "link"));
}

TEST_F(PreloadContents, RecordsTheProgramAndItsLibraries) {
  traced.scratch.write("there", "bytes");
  run("there", true);
  for (const Kind kind : {Kind::program, Kind::library})
    for (const std::string& path : traced.texts(kind))
      EXPECT_THAT(contents(), Contains(Record{Kind::content, false, path, *content_of_program(path)})) << path;
}

TEST_F(PreloadContents, RecordsNoContentUnlessItIsAsked) {
  traced.scratch.write("there", "bytes");
  run("there", false);
  EXPECT_THAT(contents(), IsEmpty());
}

TEST_F(PreloadContents, SaysOfEachLookWhatKindOfEntryItFound) {
  traced.scratch.write("file", "bytes");
  traced.scratch.write("empty", "");
  traced.scratch.make_directory("directory");
  traced.scratch.link("link", "file");
  chmod(traced.scratch.write("program", "bytes").c_str(), 0755);
  traced.changes[std::string(kContents)] = "1";
  for (const auto& [name, kind] : {std::pair{"file", EntryKind::file}, std::pair{"empty", EntryKind::empty_file},
                                   std::pair{"directory", EntryKind::directory},
                                   std::pair{"program", EntryKind::program}, std::pair{"link", EntryKind::link}}) {
    ASSERT_EQ(traced.run({"stat", name}).exit_code, 0) << traced.output;
    std::vector<EntryKind> kinds;
    for (const std::uint64_t seen : traced.seen(Kind::look, name)) kinds.push_back(kind_in(seen));
    EXPECT_THAT(kinds, Contains(kind)) << name << "\n" << traced.dump();
  }
}

// Whether the content differs if the byte does at that place; also one byte more.
class ContentOfProgram : public testing::Test {
 protected:
  std::uint64_t content(const std::string& text) const { return *content_of_program(scratch_.write("file", text)); }
  bool shows(const std::string& bytes, std::size_t place) const {
    std::string changed = bytes;
    changed[place] = changed[place] == 'y' ? 'z' : 'y';
    return content(changed) != content(bytes);
  }

  support::Scratch scratch_;
};

TEST_F(ContentOfProgram, ShowsEachByteIfThereIsNoBuildId) {
  const std::string bytes =
      "\x7f"
      "ELF" +
      std::string(20'000, 'x');
  for (const std::size_t place : {std::size_t{8}, bytes.size() / 2, bytes.size() - 1}) EXPECT_TRUE(shows(bytes, place));
  EXPECT_NE(content(bytes + "x"), content(bytes));
  EXPECT_FALSE(content_of_program(scratch_ / "none"));
}

// Both ends are enough then, and the first has the id.
TEST_F(ContentOfProgram, ShowsTheBuildIdAndTheEnds) {
  const std::string note("\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0", 16);
  const std::string bytes =
      "\x7f"
      "ELF" +
      note + std::string(20'000, 'x');
  for (const std::size_t place : {std::size_t{20}, bytes.size() - 1}) EXPECT_TRUE(shows(bytes, place));
  EXPECT_FALSE(shows(bytes, bytes.size() / 2));
  EXPECT_NE(content(bytes + "x"), content(bytes));
}

TEST_F(ContentOfProgram, OfAProgramOfThisMachineIsKnownByItsBuildId) {
  const std::string shell = support::read_bytes("/bin/sh");
  EXPECT_FALSE(shows(shell, shell.size() / 2));
  EXPECT_TRUE(shows(shell, shell.size() - 1));
}

TEST(Encode, MakesWhatTheReaderReads) {
  const std::vector<Record> records{{Kind::program, true, "/bin/cc", 8},
                                    {Kind::open_read, true, "a.h", 16, true},
                                    {Kind::look, false, "b.h"},
                                    {Kind::end, true, ""}};
  const Result<std::vector<Record>> again = read_records(encode(records));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, records);
}

}  // namespace
}  // namespace hipcache::trace
