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

TEST_F(PreloadContents, RecordsTheEndsOfTheProgramAndItsLibraries) {
  traced.scratch.write("there", "bytes");
  run("there", true);
  for (const Kind kind : {Kind::program, Kind::library})
    for (const std::string& path : traced.texts(kind))
      EXPECT_THAT(contents(), Contains(Record{Kind::content, false, path, *content_of_ends(path)})) << path;
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

TEST(ContentOfEnds, DiffersWithTheSizeAndWithEitherEnd) {
  const support::Scratch scratch;
  std::string bytes(20'000, 'x');
  const auto ends = [&](const std::string& text) { return *content_of_ends(scratch.write("file", text)); };
  const std::uint64_t before = ends(bytes);
  EXPECT_NE(ends(bytes + "x"), before);
  bytes.front() = 'y';
  EXPECT_NE(ends(bytes), before);
  bytes.front() = 'x';
  bytes.back() = 'y';
  EXPECT_NE(ends(bytes), before);
  EXPECT_FALSE(content_of_ends(scratch / "none"));
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
