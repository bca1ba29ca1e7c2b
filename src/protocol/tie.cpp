#include "hipcache/protocol/tie.h"

#include <array>
#include <string_view>

#include "protocol/line.h"

namespace hipcache::protocol {
namespace {

enum class To : std::uint8_t { machine, directory };

struct Said {
  std::string_view name;
  To to;
  std::string_view line;  // $name and $other stand for the fields of the tie
};

// Indexed by the number of the kind.
constexpr std::array<Said, static_cast<std::size_t>(kLastTiedBy) + 1> kSaid{{
    {"environment", To::machine, "$name, or what it runs, may read any variable; with the compiler itself it travels"},
    {"variable", To::machine, "the value of the variable $name"},
    {"uname", To::machine, "asks for the machine's name"},
    {"listing", To::machine, "lists the directory $name"},
    {"loader_cache", To::machine, "all of $name, because a library that was looked for is unknown"},
    {"machine_file", To::machine, "reads $name, which each machine has for itself"},
    {"file_time", To::machine,
     "the time of $name, for a precompiled header; with -Xclang -fno-pch-timestamp it travels"},
    {"equal_times", To::machine,
     "$name and $other have equal content, and are one file or have one time; if their contents differ, it travels"},
    {"processor", To::machine, "$name asks the processor; with the processor's name it travels"},
    {"root", To::directory, "the $other $name may show in the result; -ffile-prefix-map=$name=. may remove it"},
    {"own_name", To::directory, "$name uses __FILE__, which names $other; with -ffile-prefix-map=$other=. it travels"},
    {"working_directory", To::directory, "depends on the working directory; with HIPCACHE_BASEDIR=$name it travels"},
    {"absolute_path", To::directory, "the absolute name $name; with HIPCACHE_BASEDIR above it, it travels"},
    {"path_in_variable", To::directory, "the variable $name names $other; with HIPCACHE_BASEDIR=$other it travels"},
    {"argument", To::directory, "the argument $name names $other, and its text counts as typed"},
    {"joined_path", To::directory, "an option may join a name to $name (--sysroot, -isysroot, -iprefix)"},
    {"cuid", To::directory, "shows the CUID, which is made of $name; with HIPCACHE_BASEDIR above it, it travels"},
    {"output_place", To::machine,
     "writes $name; results of shared caches write below the working directory and the roots alone"},
}};

const Said& said(TiedBy by) { return kSaid[static_cast<std::size_t>(by)]; }

}  // namespace

std::string tied_to(TiedBy by) { return said(by).to == To::machine ? "machine" : "directory"; }

std::string name_of(TiedBy by) { return std::string(said(by).name); }

std::string describe(const Tie& tie) {
  std::string line = line_of(said(tie.by).line, {{"$name", tie.name}, {"$other", tie.other}});
  if (tie.more > 0) line += " (and " + std::to_string(tie.more) + " more)";
  return "kept to this " + tied_to(tie.by) + ": " + line;
}

}  // namespace hipcache::protocol
