#include "fuzz/oracle/model/tree_edits.h"

#include <algorithm>

#include "fuzz/oracle/model/compile.h"
#include "fuzz/oracle/model/project.h"
#include "fuzz/oracle/model/reach.h"
#include "fuzz/oracle/model/sources.h"
#include "hipcache/base/files.h"

namespace hipcache::fuzz {
namespace {

// What people edit: everything but the device libraries.
Names texts_of(const Tree& tree) {
  Names names = tree.names(Entry::Kind::file);
  std::erase_if(names, [](const std::string& name) { return name.starts_with("lib") || name.ends_with("runtime.h"); });
  return names;
}

// Of a header: most often of one that the source may read.
std::size_t random_number(Random& random, const Tree& tree, const std::string& source) {
  const std::string name = random.pick(reached_from(tree, source));
  return is_header(name) && random.chance(80) ? number_of(name) : random.below(kHeaders);
}

std::string random_place(Random& random, std::size_t number) {
  return random.pick(kHeaderDirectories) + "/" + header_name(number);
}

std::string header_appears(Random& random, const Tree& tree, const std::string& source) {
  const std::size_t number = random_number(random, tree, source);
  const std::string name = random.chance(85) ? random_place(random, number) : "missing/" + header_name(number);
  tree.write(name, header_text(random, number), random_writing(random));
  return "wrote " + name;
}

std::string header_vanishes(Random& random, const Tree& tree, const std::string& source) {
  const Names headers = headers_of(tree);
  if (headers.size() < kHeaders) return header_appears(random, tree, source);
  const std::string name = random.pick(headers);
  tree.remove(name);
  return "removed " + name;
}

std::string header_moves(Random& random, const Tree& tree, const std::string& source) {
  const Names headers = headers_of(tree);
  if (headers.empty()) return header_appears(random, tree, source);
  const std::string from = random.pick(headers);
  const std::string to = random_place(random, number_of(from));
  if (from == to) return "moved nothing";
  tree.move(from, to);
  return "moved " + from + " to " + to;
}

// Becomes a link to a header in another place, be it there or not, or a second name of it.
std::string header_is_linked(Random& random, const Tree& tree, const std::string& source) {
  const std::size_t number = random_number(random, tree, source);
  const std::string name = random_place(random, number);
  const std::string target = random_place(random, number);
  if (name == target) return "linked nothing";
  const Names files = tree.names(Entry::Kind::file);
  if (random.chance(30) && std::find(files.begin(), files.end(), target) != files.end()) {
    tree.hard_link(name, target);
    return "second name " + name + " for " + target;
  }
  tree.link(name, "../" + target);
  return "linked " + name + " to " + target;
}

std::string directory_moves(Random& random, const Tree& tree, const std::string& source) {
  static const std::array<const char*, 5> kMoved{"inc0", "inc1", "inc2", "sys0", "missing"};
  const std::string from = random.pick(kMoved);
  const std::string away = "moved";
  if (tree.has(away)) {
    if (tree.has(from)) return header_moves(random, tree, source);
    tree.move(away, from);
    return "moved the directory back to " + from;
  }
  if (!tree.has(from)) return header_appears(random, tree, source);
  tree.move(from, away);
  return "moved the directory " + from + " away";
}

std::string link_is_retargeted(Random& random, const Tree& tree) {
  const std::string target = random.chance(85) ? random.pick(kHeaderDirectories) : "missing";
  tree.link("lnk0", target);
  return "lnk0 leads to " + target;
}

std::string text_is_regenerated(Random& random, const Tree& tree, const std::string& name) {
  if (name.starts_with("src/") && name.ends_with(".hip")) {
    tree.write(name, source_text(random), random_writing(random));
  } else if (is_header(name)) {
    tree.write(name, header_text(random, number_of(name)), random_writing(random));
  } else {
    return "left " + name;
  }
  return "rewrote " + name;
}

}  // namespace

Writing random_writing(Random& random) { return {.by_rename = random.chance(40), .keeps_time = random.chance(30)}; }

std::string edit_text(Random& random, const Tree& tree, const std::string& source) {
  const std::string name = random.pick(random.chance(75) ? reached_from(tree, source) : texts_of(tree));
  if (random.chance(30)) return text_is_regenerated(random, tree, name);
  const std::string text = tree.text(name);
  if (random.chance(20) && !name.starts_with("conf/")) {
    tree.write(name, "\n" + text, random_writing(random));
    return "a blank line more in " + name;
  }
  tree.write(name, with_another_number(random, text), random_writing(random));
  return "another number in " + name;
}

std::string move_things(Random& random, const Tree& tree, const std::string& source) {
  switch (random.below(7)) {
    case 0:
    case 1:
      return header_appears(random, tree, source);
    case 2:
      return header_vanishes(random, tree, source);
    case 3:
      return header_moves(random, tree, source);
    case 4:
      return header_is_linked(random, tree, source);
    case 5:
      return directory_moves(random, tree, source);
    default:
      return link_is_retargeted(random, tree);
  }
}

std::string edit_library(Random& random, const Tree& tree) {
  static const std::array<const char*, 4> kSwitches{"daz_opt", "finite_only", "unsafe_math", "correctly_rounded_sqrt"};
  if (random.chance(25)) {
    const std::string target = random.chance(50) ? "lib0" : kBitcode;
    tree.link("lib1", target);
    return "lib1 leads to " + target;
  }
  // Each is one constant: the other one's bytes make another library.
  const std::string base = "oclc_" + std::string(random.pick(kSwitches));
  const std::string bytes = tree.text("lib0/" + base + (random.chance(50) ? "_on.bc" : "_off.bc"));
  const std::string name = "lib0/" + base + (random.chance(50) ? "_on.bc" : "_off.bc");
  tree.write(name, bytes, random_writing(random));
  return "other bytes in " + name;
}

std::string change_nothing(Random& random, const Tree& tree) {
  const Names names = texts_of(tree);
  const std::string name = random.pick(names);
  switch (random.below(4)) {
    case 0:
      tree.touch(name, random.chance(30));
      return "touched " + name;
    case 1:
      tree.write(name, tree.text(name), random_writing(random));
      return "wrote " + name + " as it was";
    case 2:
      tree.write(random.pick(kHeaderDirectories) + "/unrelated" + random.number(), random.number());
      return "an unrelated file";
    default:
      tree.remove_outputs();
      return "removed all outputs";
  }
}

std::string break_source(Random& random, const Tree& tree, const std::string& source) {
  static const std::array<const char*, 3> kErrors{"#error broken on purpose\n", "int broken = ;\n",
                                                  "#ifdef __HIP_DEVICE_COMPILE__\nint broken = ;\n#endif\n"};
  const std::string name = random.pick(reached_from(tree, source));
  tree.write(name, tree.text(name) + random.pick(kErrors), random_writing(random));
  return "broke " + name;
}

}  // namespace hipcache::fuzz
