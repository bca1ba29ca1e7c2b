#include "fuzz/oracle/model/project.h"

#include "fuzz/oracle/model/compile_edits.h"
#include "fuzz/oracle/model/sources.h"
#include "hipcache/base/files.h"

namespace hipcache::fuzz {
namespace {

// Each once where the first compile looks for it, and some a second time.
void write_headers(Random& random, const Tree& tree) {
  for (std::size_t number = 0; number < kHeaders; ++number) {
    for (std::size_t copy = 0; copy <= random.below(2); ++copy) {
      const std::string directory =
          copy == 0 ? "inc" + std::to_string(random.below(3)) : random.pick(kHeaderDirectories);
      const std::string name = directory + "/" + header_name(number);
      if (random.chance(80)) {
        tree.write(name, header_text(random, number));
      } else {
        const std::string real = "real/" + header_name(number);
        tree.write(real, header_text(random, number));
        tree.link(name, "../" + real);
      }
    }
  }
}

void link_libraries(const Tree& tree) {
  const Result<std::vector<std::string>> names = list_directory(kBitcode);
  if (!names) return;
  for (const std::string& name : *names) tree.link("lib0/" + name, kBitcode + "/" + name);
  tree.link("lib1", "lib0");
}

}  // namespace

Tree make_tree(Random& random, const support::Scratch& scratch) {
  Tree tree(scratch.path());
  integration::write_runtime(scratch, "src");
  for (const std::string& source : kSources) tree.write(source, source_text(random));
  for (const std::string& directory : kHeaderDirectories) scratch.make_directory(directory);
  write_headers(random, tree);
  tree.link("lnk0", random.pick(kHeaderDirectories));
  tree.write("src/c.txt", "# 1 \"c.h\"\nint from_header = " + random.number() +
                              ";\n# 1 \"c.cpp\"\nint last = " + random.number() + ";\n");
  tree.write("src/d.asm", ".data\n.long " + random.number() + "\n.incbin \"blob.bin\"\n");
  tree.write("src/blob.bin", "blob=" + random.number() + "\n");
  tree.write("conf/flags.rsp", "-DFLAG_2=" + random.number() + " -DUNUSED=" + random.number() + "\n");
  tree.write("conf/project.cfg", "-DFLAG_3=" + random.number() + "\n-I ../inc2\n");
  link_libraries(tree);
  for (const char* directory : {"out0", "out1"}) scratch.make_directory(directory);
  tree.link("here", "src");
  return tree;
}

Compile first_compile(Random& random) {
  Compile compile{.source = random.pick(kSources), .output = "out0/a.o", .library = system_libraries()};
  compile.archs = {random.pick(kArchs)};
  compile.includes = {{"-I{inc0}"}, {"-I{inc1}"}, {"-isystem", "{sys0}"}, {"-idirafter", "{inc2}"}};
  compile.flags = {{random.chance(50) ? "-O0" : "-O1"}};
  for (std::size_t edits = random.below(5); edits > 0; --edits) edit_compile(random, compile);
  return compile;
}

}  // namespace hipcache::fuzz
