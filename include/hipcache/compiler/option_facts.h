// What hipcache knows of the options of compilers: one table, with a line for each option.
//
// Problem: parsers, keys and checks each ask something else of an option. With a list for each question the lists drift
// apart, and a new option has to be added to all of them.
// Choice: a line has the option's name and all of its facts (src/compiler/options/command_facts.inc, plan_facts.inc; of
// linkers and other tools, tool_facts.inc).
// Who asks names the facts that matter. To add an option, add its line, and a line to option_facts_test.cpp. For an
// option without a line, its name decides (src/compiler/options/unknown_option.h).
// Which options of clang take the next word is in clang's own table, and is added from there
// (options/clang_options.inc). gcc has no such table: its options have lines, from "gcc --help=separate". Rejected:
// clang's table alone. It does not say what an option does, and each hit's arguments would have to be parsed. Rejected:
// a list for each fact, in one file. An option with five facts would still be in five lists. Not in the table: the
// words by which a reader of one kind of job finds its inputs and outputs (src/compiler/hip/jobs).
//
// Thread-safe. All texts live as long as the program.
#ifndef HIPCACHE_COMPILER_OPTION_FACTS_H
#define HIPCACHE_COMPILER_OPTION_FACTS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/cc1.h"

#include "hipcache/base/reason.h"

namespace hipcache::compiler {

using OptionFacts = std::uint64_t;

namespace facts {
constexpr OptionFacts bit(unsigned place) { return OptionFacts{1} << place; }

enum : OptionFacts {
  none = 0,

  // The words of a command.
  // The next argument is the option's value, in a driver's command. -Xarch_host, -Xopenmp-target and the like do not
  // have this fact: their value is an option, and is judged like any other. Nor do words that gcc reads as a shorter
  // option with its value (-undefined, -lazy_library) or without one (-meabi).
  takes_next = bit(0),
  // The same in the commands of a driver's jobs, cc1 and linkers, where a driver's command may mean something else.
  job_takes_next = bit(1),
  // The word behind it is a name or a macro for the front end, in which "stats" or "plugin" mean nothing. Also -MD and
  // -MMD, behind -Wp,.
  takes_name = bit(2),
  joins_name = bit(3),        // the same in one word: "-DX"
  reads_next = bit(4),        // its value is a file that it reads; "-" means standard input
  before_path = bit(5),       // a path may follow directly: "-I/x"
  below_sysroot = bit(6),     // '=' at the beginning of its value stands for the sysroot
  behind_prefix = bit(7),     // its value is relative to the sysroot or to -iprefix
  prefixes_others = bit(8),   // other names are appended to its value
  prefixes_by_text = bit(9),  // without a slash between them
  // Its value is a word for another program.
  to_frontend = bit(10),
  to_backend = bit(11),
  to_assembler = bit(12),
  to_linker = bit(13),
  stands_alone = bit(14),  // the next argument is certainly not its value

  // What the command makes.
  defines_macro = bit(15),
  stops_before_link = bit(16),
  // Compilers up to 21 then give relocatable device code no CUID, and name its static symbols by the source's inode.
  gives_no_id = bit(17),
  records_command = bit(18),  // puts the command line, and the outputs' names with it, into the object
  derives_files = bit(19),    // makes the driver name further files after the object
  // Derives more names from the object's, looks for files by them, takes names in another form, or hides its arguments
  // in the object.
  unclear_names = bit(20),
  hides_names = bit(21),        // puts names into outputs in a form that a search does not find: hashed
  hides_debug_names = bit(22),  // the same in debug information alone: hashed or compressed
  names_list = bit(23),         // hides no name: it only names a list of what to leave alone
  defers_code = bit(24),        // leaves code generation to the link; a command's outputs may hide names
  records_paths = bit(25),      // makes debug information, as an option of cc1

  // Whether the command is cached. The line has the reason.
  refused = bit(26),  // no trace can show its effect, or it asks the driver and compiles nothing
  // A split compile does not take it, though its group in clang's table is an accepted one; or the line has a better
  // reason than the group's. The command may be an opaque compile.
  plan_refuses = bit(27),
  // A split compile takes it although its group in clang's table has none or a refused one: it writes nothing, and
  // everything that it reads is traced. The assembler is a part of the front end, and its options are the front end's
  // in the plan.
  plan_accepts = bit(28),
  whole_command = bit(29),  // applies to the complete command, even inside of -Xarch_
  // As an option of cc1 it does more than a plan accounts for. It writes another file (extra-output), prints other
  // output or timings (statistics), loads code, which may do anything (plugin), or allows other inputs or results
  // (unsupported-option). Modules and precompiled headers are validated by modification time, or written into caches.
  cc1_refuses = bit(30),
  // An option of a later clang, or of clang 15, that somebody has judged: only the front end and the driver use it, or
  // it steers code generation in the same way whether it reads a source or bitcode. It plays no role.
  judged_later = bit(31),
  // Only the front end uses the option of cc1, or the compiler also reads it for bitcode input. The compiler ignores
  // most language options for bitcode, but the back end uses a few of them: contraction, fast mathematics, exceptions,
  // built-in functions. With such an option some sources give the same object and others do not.
  same_for_both = bit(32),

  // What an opaque compile has to know of the command.
  names_output = bit(33),      // its value is the file that the command makes
  updates_output = bit(34),    // adds to the output, if there is one
  names_language = bit(35),    // its value is the language of the inputs behind it
  names_specs = bit(36),       // its value is a file of gcc's specs
  writes_command = bit(37),    // writes an entry of a compilation database
  prints_or_checks = bit(38),  // makes no precompiled header of a header
  makes_ast = bit(39),         // makes a precompiled header of any source, or the same under another name
  makes_relocatable = bit(40),
  makes_complete = bit(41),  // the opposite, and the last one counts
  // A name for the id stands above the way to make one, wherever they are in the command.
  names_id = bit(42),
  draws_id = bit(43),
  makes_no_id = bit(44),
  names_arch = bit(45),         // its value is a device
  hides_source_name = bit(46),  // puts the source's name as given into the outputs, hashed

  // What the tools do that run behind a compiler.
  asks_program = bit(47),  // the program prints about itself
  is_safe = bit(48),       // does nothing that a trace does not show
  // Belongs to the device links that clang plans. Of the second, the value is a level or a name, never a path.
  of_device_links = bit(49),
  word_of_device_links = bit(50),
  bundles = bit(51),    // belongs to a bundler's job that makes a fatbin
  unbundles = bit(52),  // belongs to one that takes a bundle apart

  all_facts = (unbundles << 1) - 1,
};
}  // namespace facts

// Whose options a word is looked up in. `compiler`: with dashes. All others: without (bare_option()).
enum class Tool {
  compiler,  // clang, gcc, and clang -cc1
  linker,    // GNU ld, gold, lld and mold, by themselves, behind a driver, or for devices
  archiver,  // ar and ranlib
  bundler,   // clang-offload-bundler
  wrapper,   // clang-linker-wrapper
  iree,      // IREE's compilers
};

// "name=value" of "--name=value" and "-name=value", which the tools read alike; "" for a word that is no option.
std::string_view bare_option(std::string_view word);

// The name of the longest option that the word is, or begins with, and that has one of the facts; "" if there is none.
std::string_view option_with(std::string_view word, OptionFacts facts, Tool tool = Tool::compiler);

bool option_has(std::string_view word, OptionFacts facts, Tool tool = Tool::compiler);

// All facts of the options that the compiler's word is, or begins with.
OptionFacts facts_of(std::string_view word);

// Whether the word behind this one in a command is certainly not its value.
bool is_complete(std::string_view word);

// Whether the whole word is such a name.
bool is_option(std::string_view word, OptionFacts facts);

// Why the option that option_with() names is refused. Reason::none if there is none.
Reason reason_against(std::string_view word, OptionFacts facts, Tool tool = Tool::compiler);

// The values of a compiler's options with one of the facts, in order: what follows the option's name, or the next
// argument.
std::vector<std::string> values_of(const std::vector<std::string>& arguments, OptionFacts facts);

// What the option means to a cc1 job; `plain` if the table does not say so.
Cc1Role cc1_role(std::string_view option);

}  // namespace hipcache::compiler

#endif
