#include "fuzz/oracle/model/compile_edits.h"

#include <algorithm>
#include <utility>

#include "fuzz/oracle/model/project.h"
#include "fuzz/oracle/model/sources.h"

namespace hipcache::fuzz {
namespace {

using Options = std::vector<Option>;

// An option of the kinds that exclude each other: what is there of the kind goes.
void replace(Options& options, const Options& kind, const Option& chosen) {
  std::erase_if(options,
                [&](const Option& option) { return std::find(kind.begin(), kind.end(), option) != kind.end(); });
  options.push_back(chosen);
}

std::string edit_optimisation(Random& random, Compile& compile) {
  static const Options kLevels{{"-O0"}, {"-O1"}, {"-O2"}, {"-Os"}};
  replace(compile.flags, kLevels, random.pick(kLevels));
  return "optimisation level";
}

std::string edit_macro(Random& random, Compile& compile) {
  const std::string flag = "-DFLAG_" + std::to_string(random.below(kFlags)) + "=" + random.number();
  static const std::array<const char*, 5> kSides{"", "", "-Xarch_host", "-Xarch_device", "arch"};
  const std::string side = random.pick(kSides);
  if (side == "arch") {
    compile.flags.push_back({random.chance(50) ? "-Xarch_gfx906" : "-Xarch_gfx1030", flag});
  } else {
    compile.flags.push_back(side.empty() ? Option{flag} : Option{side, flag});
  }
  return "macro " + side + " " + flag;
}

// There or not there.
std::string edit_flag(Random& random, Compile& compile) {
  static const Options kPool{{"-g"},
                             {"-gline-tables-only"},
                             {"-Wall"},
                             {"-Wextra", "-Wno-unused-variable"},
                             {"-w"},
                             {"-Werror=unused-variable"},
                             {"-Wsystem-headers"},
                             {"-fno-caret-diagnostics"},
                             {"-fcolor-diagnostics"},
                             {"-ffast-math"},
                             {"-fgpu-flush-denormals-to-zero"},
                             {"-ffile-prefix-map={}=/project"},
                             {"-include", "{inc0/h0.h}"},
                             {"-include", "h3.h"},
                             {"-imacros", "{inc1/h2.h}"},
                             {"@{conf/flags.rsp}"},
                             {"--config", "{conf/project.cfg}"},
                             {"-gsplit-dwarf"},
                             {"-fvisibility=hidden"},
                             {"-ferror-limit=2"}};
  const Option option = random.pick(kPool);
  if (std::erase(compile.flags, option) == 0) compile.flags.push_back(option);
  return "flag " + option.back();
}

std::string drop_flag(Random& random, Compile& compile) {
  if (compile.flags.empty()) return "no flag to drop";
  const std::size_t index = random.below(compile.flags.size());
  const std::string dropped = compile.flags[index].back();
  compile.flags.erase(compile.flags.begin() + static_cast<std::ptrdiff_t>(index));
  return "without " + dropped;
}

std::string edit_includes(Random& random, Compile& compile) {
  static const std::array<const char*, 8> kDirectories{"inc0", "inc1", "inc2",    "sys0",
                                                       "src",  "lnk0", "missing", "moved"};
  static const std::array<const char*, 5> kOptions{"-I", "-I", "-isystem", "-iquote", "-idirafter"};
  Options& includes = compile.includes;
  if (!includes.empty() && random.chance(30)) {
    includes.erase(includes.begin() + static_cast<std::ptrdiff_t>(random.below(includes.size())));
    return "an include directory less";
  }
  if (includes.size() > 1 && random.chance(40)) {
    std::swap(includes[random.below(includes.size())], includes[random.below(includes.size())]);
    return "include directories swapped";
  }
  const std::string directory = random.pick(kDirectories);
  const Option added{random.pick(kOptions), "{" + directory + "}"};
  includes.insert(includes.begin() + static_cast<std::ptrdiff_t>(random.below(includes.size() + 1)), added);
  return "include directory " + directory;
}

std::string edit_depfile(Random& random, Compile& compile) {
  static const Options kDepfiles{{},
                                 {"-MD"},
                                 {"-MMD"},
                                 {"-MD", "-MF", "{out0/deps.d}"},
                                 {"-MMD", "-MP", "-MT", "target", "-MF", "{out1/deps.d}"},
                                 {"-Wp,-MD,{out0/wp.d}"}};
  compile.depfile = random.pick(kDepfiles);
  return "depfile";
}

std::string edit_directory(Random& random, Compile& compile) {
  static const std::array<const char*, 5> kDirectories{".", ".", "src", "out0", "here"};
  compile.directory = random.pick(kDirectories);
  if (random.chance(30)) compile.absolute = !compile.absolute;
  return "in " + compile.directory;
}

std::string edit_libraries(Random& random, Compile& compile) {
  static const std::array<const char*, 2> kOwn{"lib0", "lib1"};
  const std::string own = "{" + std::string(random.pick(kOwn)) + "}";
  compile.environment.erase("HIP_DEVICE_LIB_PATH");
  if (random.chance(30)) {
    compile.library = system_libraries();
  } else if (random.chance(60)) {
    compile.library = {"--rocm-device-lib-path=" + own};
  } else {
    compile.library = {};
    compile.environment["HIP_DEVICE_LIB_PATH"] = own;
  }
  return "device libraries";
}

std::string edit_source(Random& random, Compile& compile) {
  compile.source = compile.driver == kHip ? random.pick(kSources) : random.pick(kPlainSources);
  return "source " + compile.source;
}

// A library of the source alone. The linker's messages would have names by chance.
const Option kLinked{"-shared", "-fPIC", "-Wl,-z,noexecstack", "-Wl,--unresolved-symbols=ignore-all"};

std::string edit_driver(Random& random, Compile& compile) {
  compile.driver = random.pick(kDrivers);
  if (compile.stage == kLinked) compile.stage = {"-c"};  // assembler is not position-independent
  return "by " + compile.driver + ", " + edit_source(random, compile);
}

// To be compiled into an object, most of the time: it has the most steps.
std::string edit_stage(Random& random, Compile& compile) {
  static const Options kStages{{"-c"}, {"-c"}, {"-c"}, {"-S"}, {"-E"}, {"-E", "-P"}, {"-fsyntax-only"}, {"-M"}};
  compile.stage = compile.driver == kHip && random.chance(25) ? kLinked : random.pick(kStages);
  return "to the end of " + compile.stage.front();
}

std::string edit_environment(Random& random, Compile& compile) {
  static const std::array<std::pair<const char*, const char*>, 6> kVariables{{{"CPATH", "{inc2}"},
                                                                              {"CPATH", "{lnk0}"},
                                                                              {"CPLUS_INCLUDE_PATH", "{inc2}"},
                                                                              {"C_INCLUDE_PATH", "{inc1}"},
                                                                              {"SOURCE_DATE_EPOCH", "1000000000"},
                                                                              {"SOURCE_DATE_EPOCH", "1100000000"}}};
  const auto [name, value] = random.pick(kVariables);
  if (compile.environment.erase(name) == 0 || random.chance(50)) compile.environment[name] = value;
  return std::string("variable ") + name;
}

}  // namespace

Option system_libraries() { return {"--rocm-device-lib-path=" + kBitcode}; }

std::string edit_archs(Random& random, Compile& compile) {
  std::vector<std::string>& archs = compile.archs;
  if (random.chance(20)) compile.archs_in_one_word = !compile.archs_in_one_word;
  if (archs.size() > 1 && random.chance(30)) {
    std::swap(archs.front(), archs[random.below(archs.size())]);
    return "archs in another order";
  }
  if (archs.size() > 2 || (archs.size() == 2 && random.chance(40))) {
    const std::string dropped = random.pick(archs);
    std::erase(archs, dropped);
    return "without arch " + dropped;
  }
  const std::string added = random.pick(kArchs);
  // Refused by clang beside the same processor with a feature given.
  const bool conflicts = std::any_of(archs.begin(), archs.end(),
                                     [&](const std::string& arch) { return macro_of(arch) == macro_of(added); });
  if (conflicts) return "archs as they were";
  archs.push_back(added);
  return "arch " + added;
}

std::string edit_output(Random& random, Compile& compile) {
  static const std::array<const char*, 5> kOutputs{"", "out0/a.o", "out1/a.o", "out0/b.o", "a.o"};
  compile.output = random.pick(kOutputs);
  return "output " + compile.output;
}

std::string edit_unrelated_variable(Random& random, Compile& compile) {
  compile.environment["UNRELATED"] = random.number();
  return "an unrelated variable";
}

std::string edit_compile(Random& random, Compile& compile) {
  switch (random.below(17)) {
    case 0:
      return edit_optimisation(random, compile);
    case 1:
    case 2:
      return edit_macro(random, compile);
    case 3:
    case 4:
      return edit_flag(random, compile);
    case 5:
      return drop_flag(random, compile);
    case 6:
    case 7:
      return edit_includes(random, compile);
    case 8:
      return edit_depfile(random, compile);
    case 9:
      return edit_directory(random, compile);
    case 10:
      return edit_libraries(random, compile);
    case 11:
      return edit_environment(random, compile);
    case 12:
      return edit_source(random, compile);
    case 13:
      return edit_driver(random, compile);
    case 14:
    case 15:
      return edit_stage(random, compile);
    default:
      return edit_output(random, compile);
  }
}

}  // namespace hipcache::fuzz
