#include "hipcache/trace/record.h"

#include <gmock/gmock.h>

namespace hipcache::trace {
namespace {

using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// As the preload library writes them; the format is docs/internals/trace.md's.
const std::string kProgram = "\x01\x01\x00\x00\x06\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08/bin/c"s;
const std::string kAbsent = "\x03\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00x.h"s;
const std::string kVariable = "\x09\x01\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00PATH"s;
const std::string kEnd = "\x0e\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"s;

std::string message_of(const Result<Trace>& result) {
  return result.ok() ? "read without an error" : result.error().message;
}

TEST(Record, IsReadFromItsGoldenBytes) {
  const Result<Trace> trace = read_trace(kProgram + kVariable + kAbsent + kEnd);
  ASSERT_TRUE(trace.ok()) << message_of(trace);
  EXPECT_THAT(trace->programs, ElementsAre("/bin/c"));
  EXPECT_EQ(trace->ends, 1U);
  EXPECT_THAT(trace->records, ElementsAre(Record{Kind::program, true, "/bin/c", 0x0807060504030201},
                                          Record{Kind::open_read, false, "x.h"}, Record{Kind::variable, true, "PATH"}));
}

TEST(Record, OfSeveralProcessesIsSortedAndWithoutDoublesButProgramsKeepTheirOrder) {
  const std::string other = "\x01\x01\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00/a"s;
  const Result<Trace> trace = read_trace(kProgram + kAbsent + other + kAbsent + kEnd + kEnd);
  ASSERT_TRUE(trace.ok()) << message_of(trace);
  EXPECT_THAT(trace->programs, ElementsAre("/bin/c", "/a"));
  EXPECT_EQ(trace->ends, 2U);
  EXPECT_THAT(trace->records,
              ElementsAre(Record{Kind::program, true, "/a"}, Record{Kind::program, true, "/bin/c", 0x0807060504030201},
                          Record{Kind::open_read, false, "x.h"}));
}

TEST(Record, FoundAndAbsentOfOnePathAreTwoObservations) {
  std::string found = kAbsent;
  found[1] = 1;
  const Result<Trace> trace = read_trace(found + kAbsent);
  ASSERT_TRUE(trace.ok()) << message_of(trace);
  EXPECT_EQ(trace->records.size(), 2U);
}

TEST(Record, OfOnePathSeenInTwoStatesIsTwoObservations) {
  std::string other = kAbsent;
  other[8] = 2;
  const Result<Trace> trace = read_trace(other + kAbsent);
  ASSERT_TRUE(trace.ok()) << message_of(trace);
  EXPECT_THAT(trace->records,
              ElementsAre(Record{Kind::open_read, false, "x.h"}, Record{Kind::open_read, false, "x.h", 2}));
}

TEST(Record, OfAnOpenedFileTheLowestBitOfSeenSaysThatItMayChangeUnseen) {
  std::string opened = kAbsent;
  std::string looked = kAbsent;
  opened[8] = looked[8] = 3;
  looked[0] = static_cast<char>(Kind::look);
  const Result<Trace> trace = read_trace(opened + looked);
  ASSERT_TRUE(trace.ok()) << message_of(trace);
  EXPECT_THAT(trace->records,
              ElementsAre(Record{Kind::open_read, false, "x.h", 2, true}, Record{Kind::look, false, "x.h", 3}));
}

TEST(Record, AnEmptyTraceIsATraceOfNothing) {
  const Result<Trace> trace = read_trace("");
  ASSERT_TRUE(trace.ok()) << message_of(trace);
  EXPECT_THAT(trace->programs, IsEmpty());
  EXPECT_THAT(trace->records, IsEmpty());
  EXPECT_EQ(trace->ends, 0U);
}

TEST(Record, CutShortAtAnyByteIsAnErrorExceptBetweenRecords) {
  const std::string whole = kProgram + kAbsent + kEnd;
  const std::vector<std::size_t> boundaries{0, kProgram.size(), kProgram.size() + kAbsent.size(), whole.size()};
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const bool between = std::find(boundaries.begin(), boundaries.end(), size) != boundaries.end();
    const Result<Trace> trace = read_trace(std::string_view(whole).substr(0, size));
    EXPECT_EQ(trace.ok(), between) << size;
    EXPECT_THAT(message_of(trace), HasSubstr(between ? "read without an error" : "cut short")) << size;
  }
}

TEST(Record, OfAnUnknownKindIsAnErrorThatNamesKindAndPlace) {
  for (const char kind : {'\0', '\x15', '\xff'}) {
    std::string bad = kAbsent;
    bad[0] = kind;
    const Result<Trace> trace = read_trace(kProgram + bad);
    EXPECT_THAT(message_of(trace), HasSubstr("unknown kind")) << int{kind};
    EXPECT_THAT(message_of(trace), HasSubstr("byte 22")) << int{kind};
  }
}

TEST(Record, WithOtherThanZeroAndOneForFoundOrInTheReservedBytesIsAnError) {
  for (const std::size_t byte : {1U, 2U, 3U}) {
    std::string bad = kAbsent;
    bad[byte] = 2;
    EXPECT_THAT(message_of(read_trace(bad)), HasSubstr("not a record")) << byte;
  }
}

TEST(Record, WithATextLongerThanAPathCanBeIsAnError) {
  std::string longest = "\x05\x01\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"s + std::string(4096, 'x');
  EXPECT_TRUE(read_trace(longest).ok());
  longest[4] = 1;
  EXPECT_THAT(message_of(read_trace(longest + "x")), HasSubstr("too long"));
  EXPECT_THAT(message_of(read_trace("\x05\x01\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"s)),
              HasSubstr("too long"));
}

TEST(Record, WithANulInItsTextIsAnError) {
  EXPECT_THAT(message_of(read_trace("\x05\x01\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"s + "a\0b"s)),
              HasSubstr("not text"));
}

TEST(Record, OfGarbageIsAnError) { EXPECT_FALSE(read_trace("#include <hip/hip_runtime.h>\n").ok()); }

}  // namespace
}  // namespace hipcache::trace
