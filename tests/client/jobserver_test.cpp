#include "client/steps/jobserver.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "support/scratch.h"

namespace hipcache::client {
namespace {

bool at_once() { return true; }

// A pipe that holds these tokens, as make's does.
class JobserverTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
    reader_ = UniqueFd(ends[0]);
    writer_ = UniqueFd(ends[1]);
  }

  void put(const std::string& tokens) const {
    ASSERT_EQ(write(writer_.get(), tokens.data(), tokens.size()), static_cast<ssize_t>(tokens.size()));
  }

  // What is in the pipe, which is empty then.
  std::string tokens() const {
    std::array<char, 64> bytes{};
    const ssize_t got = read(reader_.get(), bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

  std::vector<std::string> environment(const std::string& option = "--jobserver-auth=") const {
    return {"PATH=/bin", "MAKEFLAGS= -j3 " + option + std::to_string(reader_.get()) + "," +
                             std::to_string(writer_.get()) + " --no-print-directory"};
  }

  UniqueFd reader_;
  UniqueFd writer_;
};

TEST_F(JobserverTest, TheFirstJobNeedsNoTokenAndFurtherOnesTakeThemAndGiveTheSameBack) {
  put("xy");
  Jobserver jobserver(environment());
  {
    const Jobserver::Place first = jobserver.take(at_once);
    const Jobserver::Place second = jobserver.take(at_once);
    EXPECT_EQ(tokens(), "y");
  }
  EXPECT_EQ(tokens(), "x");
}

TEST_F(JobserverTest, AJobWaitsUntilOneOfOursOrOfOthersEnds) {
  Jobserver jobserver(environment());
  std::optional<Jobserver::Place> first(jobserver.take(at_once));
  unsigned looks = 0;
  {
    const Jobserver::Place ours = jobserver.take([&] {
      if (++looks == 3) first.reset();
      return false;
    });
    EXPECT_EQ(looks, 3u);
    const Jobserver::Place others = jobserver.take([&] {
      if (++looks == 5) put("z");
      return false;
    });
    EXPECT_EQ(looks, 5u);
    EXPECT_EQ(tokens(), "");
  }
  EXPECT_EQ(tokens(), "z");
}

TEST_F(JobserverTest, NobodyWaitsWhenAllIsOver) {
  Jobserver jobserver(environment());
  const Jobserver::Place first = jobserver.take(at_once);
  const Jobserver::Place none = jobserver.take(at_once);
  EXPECT_EQ(tokens(), "");
}

TEST_F(JobserverTest, NobodyWaitsForAMakeThatIsGone) {
  const auto never_asked = [] {
    ADD_FAILURE() << "waits";
    return true;
  };
  Jobserver gone({"MAKEFLAGS=--jobserver-auth=fifo:/absent"});
  const Jobserver::Place one = gone.take(never_asked);
  const Jobserver::Place two = gone.take(never_asked);
}

TEST_F(JobserverTest, KnowsTheOptionsOfEarlierAndLaterMakes) {
  put("x");
  {
    Jobserver earlier(environment("--jobserver-fds="));
    const Jobserver::Place first = earlier.take(at_once);
    const Jobserver::Place second = earlier.take(at_once);
    EXPECT_EQ(tokens(), "");
  }
  EXPECT_EQ(tokens(), "x");

  const support::Scratch scratch;
  const std::string path = scratch / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const UniqueFd fifo(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_EQ(write(fifo.get(), "f", 1), 1);
  {
    Jobserver later({"MAKEFLAGS=--jobserver-auth=3,4 -j --jobserver-auth=fifo:" + path});
    const Jobserver::Place first = later.take(at_once);
    const Jobserver::Place second = later.take(at_once);
    char token = 0;
    EXPECT_LT(read(fifo.get(), &token, 1), 0);
  }
  char token = 0;
  EXPECT_EQ(read(fifo.get(), &token, 1), 1);
  EXPECT_EQ(token, 'f');
}

// make closes its descriptors for what is not a make; the numbers may be anything's by then.
TEST_F(JobserverTest, IsNotMistakenInWhatIsNoJobserver) {
  const support::Scratch scratch;
  scratch.write("file", "tokens");
  const UniqueFd file(open((scratch / "file").c_str(), O_RDWR | O_CLOEXEC));
  const std::string number = std::to_string(file.get());
  const std::string as_a_file = "--jobserver-auth=" + number + "," + number;
  for (const char* option : {as_a_file.c_str(), "--jobserver-auth=900,901", "-j8", "--jobserver-auth=-2,-2",
                             "--jobserver-auth=x,4", "--jobserver-auth="}) {
    const std::string flags = std::string("MAKEFLAGS=") + option;
    Jobserver none({flags});
    const Jobserver::Place first = none.take(at_once);
    const Jobserver::Place second = none.take(at_once);
    EXPECT_EQ(lseek(file.get(), 0, SEEK_CUR), 0) << flags;
  }
  EXPECT_EQ(support::read_bytes(scratch / "file"), "tokens");
  Jobserver unnamed({"OTHER=1"});
  const Jobserver::Place first = unnamed.take(at_once);
  const Jobserver::Place second = unnamed.take(at_once);
  EXPECT_EQ(tokens(), "");
}

}  // namespace
}  // namespace hipcache::client
