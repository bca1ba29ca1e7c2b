#include "hipcache/protocol/explanation.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hipcache::protocol {

namespace {

enum class To : std::uint8_t { machine, directory };

struct SaidOfTie {
  std::string_view name;
  To to;
  std::string_view line;  // $name and $other stand for the fields of the tie
};

// Indexed by the number of the kind.
constexpr std::array<SaidOfTie, static_cast<std::size_t>(kLastTiedBy) + 1> kTies{{
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

const SaidOfTie& said(TiedBy by) { return kTies[static_cast<std::size_t>(by)]; }

bool is_control(char byte) { return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f'; }

struct Said {
  std::string_view name;
  std::string_view line;  // $name, $now and $was stand for the fields of the difference
};

// Indexed by the number of the kind.
constexpr std::array<Said, static_cast<std::size_t>(kLastDiffers) + 1> kSaid{{
    {"nothing_stored", "no compile of this output is stored"},
    {"recache", "HIPCACHE_RECACHE is set: what is stored is not used"},
    {"compiler", "compiler $now, was $was"},
    {"argument_added", "argument $name only now"},
    {"argument_removed", "argument $name only then"},
    {"argument_moved", "argument $name in another place: their order counts"},
    {"driver_arguments", "arguments that the driver made differ"},
    {"arch_added", "architecture $name only now"},
    {"arch_removed", "architecture $name only then"},
    {"asked_directory", "working directory $now, was $was"},
    {"cuid", "CUID $now, was $was"},
    {"terminal", "$name is $now, was $was; messages look otherwise there"},
    {"command", "the command differs"},
    {"unknown_step", "no compile for this $name is stored"},
    {"program", "program $now, was $was"},
    {"input", "what $name made (digest $now, was $was)"},
    {"pending", "$name has to run first"},
    {"variable_changed", "variable $name differs"},
    {"variable_set", "variable $name is set now"},
    {"variable_unset", "variable $name is not set any more"},
    {"working_directory", "the working directory differs"},
    {"shown_base", "the $name differs and may show in what the step made"},
    {"shown_cuid", "the CUID differs and may show in what the step made"},
    {"appeared", "$name appeared"},
    {"vanished", "$name vanished"},
    {"content", "content $name (digest $now, was $was)"},
    {"nature", "$name is $now, was $was"},
    {"link", "link $name now leads elsewhere"},
    {"real_path", "$name is now found elsewhere"},
    {"search", "PATH leads elsewhere for $name"},
    {"listing", "listing of $name"},
    {"same_files", "which names of equal content are one file"},
    {"refused", "was not stored: $name"},
    {"gone", "nothing differs, but its result is not stored any more"},
    {"shown_output_names", "the name of an output differs and may show in what the step made"},
    {"own_name",
     "$name uses __FILE__, which names the checkout; with -ffile-prefix-map=$now=. checkouts share the result"},
    {"other_output", "compared with $name, which was made of an equal source"},
    {"other_base",
     "the directory differs; with HIPCACHE_BASEDIR=$now here and HIPCACHE_BASEDIR=$was there it does not count"},
    {"output_name",
     "the name $now differs from $was; with the same name, or with -cuid= of your own, it does not count"},
    {"cuid_of_arguments", "the CUID, which is made of the request's arguments, differs and shows in what it made"},
    {"not_split", "the compile is one step for all architectures: $name"},
    {"tokens", "tokens of $name: $now"},
    {"macro", "macro $name of the command line differs"},
    {"token_hits_off",
     "its sources have the same tokens in other bytes, or other macros; an audit found such a hit wrong, so none is "
     "taken"},
    {"whole_sources", "all bytes of sources count: $name"},
    {"own_wrapper", "reads the wrapper header itself: $name"},
}};

const Said& said(Differs kind) { return kSaid[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string tied_to(TiedBy by) { return said(by).to == To::machine ? "machine" : "directory"; }

std::string name_of(TiedBy by) { return std::string(said(by).name); }

std::string describe(const Tie& tie) {
  std::string line = line_of(said(tie.by).line, {{"$name", tie.name}, {"$other", tie.other}});
  if (tie.more > 0) line += " (and " + std::to_string(tie.more) + " more)";
  return "kept to this " + tied_to(tie.by) + ": " + line;
}

std::string line_of(std::string_view pattern, const Placeholders& placeholders) {
  std::string line;
  while (!pattern.empty()) {
    const auto found = std::find_if(placeholders.begin(), placeholders.end(),
                                    [&](const auto& one) { return pattern.starts_with(one.first); });
    if (found != placeholders.end()) {
      line += found->second;
      pattern.remove_prefix(found->first.size());
    } else {
      line += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  std::replace_if(line.begin(), line.end(), is_control, '?');
  return line;
}

std::string name_of(Differs kind) { return std::string(said(kind).name); }

std::string describe(const Difference& difference) {
  const bool may_have_detail = difference.kind == Differs::refused || difference.kind == Differs::not_split;
  const bool has_detail = may_have_detail && !difference.now.empty();
  return line_of(std::string(said(difference.kind).line) + (has_detail ? ": $now" : ""),
                 {{"$name", difference.name}, {"$now", difference.now}, {"$was", difference.was}});
}

}  // namespace hipcache::protocol
