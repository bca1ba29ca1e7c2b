#include "hipcache/protocol/explanation.h"

#include <array>
#include <string_view>

#include "protocol/line.h"

namespace hipcache::protocol {
namespace {

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
}};

const Said& said(Differs kind) { return kSaid[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string name_of(Differs kind) { return std::string(said(kind).name); }

std::string describe(const Difference& difference) {
  const bool may_have_detail = difference.kind == Differs::refused || difference.kind == Differs::not_split;
  const bool has_detail = may_have_detail && !difference.now.empty();
  return line_of(std::string(said(difference.kind).line) + (has_detail ? ": $now" : ""),
                 {{"$name", difference.name}, {"$now", difference.now}, {"$was", difference.was}});
}

}  // namespace hipcache::protocol
