// What ties a result to its directories where a search for their names proves nothing.
#include "daemon/run/relocatability.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

inputs::RunContext run_in(const std::string& root) {
  inputs::RunContext run;
  run.working_directory = root;
  run.roots = Roots(root);
  return run;
}

bool hides_after(const std::string& root, std::string_view printed) {
  Relocatability ties;
  ties.look_into_printed(printed, run_in(root));
  return ties.roots.hidden;
}

TEST(EscapedNames, HaveACharacterThatSomeTextEscapes) {
  for (const char* name : {"/d\xc3\xbc", "/d\xff", "/a\"b", "/a\\b", "/a b", "/a%1", "/a'1", "/a$b", "/a#b", "/a(1)",
                           "/a[1]", "/a&b", "/a\tb", "/a\x7f"})
    EXPECT_TRUE(may_be_escaped(std::string_view(name))) << name;
  for (const char* name : {"", "/", "/home/me/One.2_3-4+5", "/a@b", "/a=b", "/a,b", "/a:b", "/a~"})
    EXPECT_FALSE(may_be_escaped(std::string_view(name))) << name;
}

TEST(EscapedNames, AreThoseOfAnyRootByEitherName) {
  Roots roots;
  EXPECT_FALSE(may_be_escaped(roots));
  roots.add(kBuildMark, "/src/build");
  EXPECT_FALSE(may_be_escaped(roots));
  roots.add(kBaseMark, "/src", "/d\xc3\xbc");
  EXPECT_TRUE(may_be_escaped(roots));
}

TEST(EscapedNames, ShowInMessagesByWhatBeginsAnEscape) {
  for (const char* printed : {"/d\\303\\274", "/d\\C3\\BC", "/d%C3%BC", "/a$$b", "/d\xef\xbf\xbd"})
    EXPECT_TRUE(may_show_escaped(printed)) << printed;
  for (const char* printed : {"", "/d\xc3\xbc/a.c:1: warning: unused 'x'"})
    EXPECT_FALSE(may_show_escaped(printed)) << printed;
}

TEST(EscapedNames, OfRootsMayBeHiddenInMessages) {
  EXPECT_TRUE(hides_after("/d\xc3\xbc", "{\"uri\": \"file:///d%C3%BC/a.c\"}"));
  EXPECT_FALSE(hides_after("/d\xc3\xbc", "a.c:1: warning: unused"));
  EXPECT_FALSE(hides_after("/one", "a.c:1: warning: format '%d'"));
}

TEST(EscapedNames, OfTheWorkingDirectoryAreKnown) {
  EXPECT_TRUE(DirectoryReferences(run_in("/d\xc3\xbc"), {}).may_be_escaped());
  EXPECT_FALSE(DirectoryReferences(run_in("/one"), {}).may_be_escaped());
}

}  // namespace
}  // namespace hipcache::daemon
