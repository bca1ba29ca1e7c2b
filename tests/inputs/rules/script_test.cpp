#include "hipcache/inputs/script.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

TEST(Script, BeginsWithTwoCharacters) {
  const support::Scratch scratch;
  scratch.write("script", "#!/bin/sh\n");
  scratch.write("text", "# !\n");
  scratch.write("short", "#");
  EXPECT_TRUE(is_script(scratch / "script"));
  EXPECT_FALSE(is_script(scratch / "text"));
  EXPECT_FALSE(is_script(scratch / "short"));
  EXPECT_FALSE(is_script(scratch / "absent"));
}

TEST(Perl, ThatAsksForWhatATraceHasIsTraceable) {
  for (const char* text :
       {"", "if (-e \"$path/bin/clang\") { print STDERR \"no runtime\\n\"; }", "my $x = $ENV{'ROCM_PATH'} // '/opt';",
        "$$config{$name} = $value;", "  # at the time of writing, keys and -s were not used\n",
        "my $sections = `readelf -e -W $obj`;", "if ($arg eq '-S' or $arg eq \"-M\") { $$options{x} = 1; }",
        "print \"  --path,  -p        : print HIP_PATH\\n\";", "use File::Basename; exec($clang, @ARGV);",
        "my @dirs = glob(\"$ROCM_PATH/lib/*/amdgcn/bitcode\");"})
    EXPECT_TRUE(is_traceable_perl(text)) << text;
}

TEST(Perl, ThatAsksForMoreIsNot) {
  for (const char* text : {"print time;",
                           "my @s = stat($f);",
                           "if (-s $f) {}",
                           "return -M 'f';",
                           "$x = -l($p);",
                           "die unless -u _;",
                           "while (-S$f) {}",
                           "my $x = $$;",
                           "print \"$$\\n\";",
                           "$x = $^T;",
                           "rand(3)",
                           "for (keys %h) {}",
                           "umask 077;",
                           "open(F, '/proc/cpuinfo');",
                           "use POSIX;",
                           "use Time::HiRes;",
                           "eval $text;",
                           "`echo \\$RANDOM`",
                           "system('[ a -nt b ]');",
                           "print $<;"})
    EXPECT_FALSE(is_traceable_perl(text)) << text;
}

using Names = std::optional<std::vector<std::string>>;

TEST(Perl, NamesItsVariables) {
  EXPECT_EQ(variables_of_perl("my $x = $ENV{'ROCM_PATH'} // $ENV{HIP_PATH}; $y = \"$ENV{\"A_1\"}\";"),
            Names({"ROCM_PATH", "HIP_PATH", "A_1"}));
  EXPECT_EQ(variables_of_perl("# all of %ENV\nmy $ENVIRONMENT = 1; print $MY_ENV{x};"), Names(std::in_place));
}

TEST(Perl, MayReadAnyVariable) {
  for (const char* text : {"$ENV{$name}", "%copy = %ENV;", "@ENV{qw(A B)}", "$main::ENV{A}", "\\%ENV", "$ENV{'A' . $b}",
                           "$ENV {A}", "$ENV{A", "$ENV{}", "${ENV}{A}", "$ENV"})
    EXPECT_EQ(variables_of_perl(text), std::nullopt) << text;
}

TEST(Perl, HasModulesThatReadNone) {
  EXPECT_TRUE(is_judged_module("/usr/lib/x86_64-linux-gnu/perl-base/File/Temp.pm"));
  for (const char* path : {"/usr/share/perl5/Env.pm", "/usr/share/perl5/My/Cwd_.pm", "Cwd.pm", "/perl/NoCwd.pm"})
    EXPECT_FALSE(is_judged_module(path)) << path;
}

// What Debian and AMD ship is served by a trace. Skipped where it is not installed.
TEST(Perl, OfHipccIsTraceable) {
  bool has_any = false;
  for (const char* name : {"/usr/bin/hipcc.pl", "/usr/bin/hipconfig.pl", "/usr/bin/hipvars.pm"}) {
    if (!std::filesystem::exists(name)) continue;
    has_any = true;
    EXPECT_TRUE(is_traceable_perl(support::read_bytes(name))) << name;
    if (std::string_view(name).find("hipcc") != std::string_view::npos) {
      EXPECT_NE(variables_of_perl(support::read_bytes(name)), std::nullopt) << name;
    }
  }
  if (!has_any) GTEST_SKIP() << "no hipcc in Perl is installed";
}

}  // namespace
}  // namespace hipcache::inputs
