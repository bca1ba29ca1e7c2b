// Which commands are cached, and under which name the others pass through: a table of command lines.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "compiler/words.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/kind.h"

namespace hipcache::compiler {
namespace {

using testing::words;

struct Case {
  const char* line;
  const char* reason;  // null: cached
};

constexpr const char* kCached = nullptr;

const Case kCases[] = {
    // Options of later clangs. Whether such an option takes the next word is for the plan to say.
    {"clang++ -fno-such-option -c a.hip", kCached},
    {"clang++ --no-such-option=x -c a.hip", kCached},
    {"clang++ -fno-print-such -c a.hip", kCached},
    {"clang++ -fsuch-thing=4 -c a.hip -o a.o", kCached},
    {"clang++ --such value -c a.hip -o a.o", kCached},
    {"clang++ -c --such a.hip -o a.o", kCached},
    {"clang++ --such a.hip b.hip -c", kCached},
    {"clang++ -Xclang -no-such -c a.hip", kCached},
    {"clang++ --such -o a.o -x hip -c a.cpp", kCached},
    {"clang++ --such -mllvm -amdgpu-early-inline-all=true -c a.hip", kCached},
    {"clang++ -Xarch_device -fsuch-thing -c a.hip", kCached},
    {"clang++ --offload-jobs=4 -c a.hip", kCached},
    {"clang++ -fno-crash-diagnostics -Wa,--noexecstack -c a.hip", kCached},
    // What is cached.
    {"clang++ -x hip --offload-arch=gfx906 -c a.hip -o a.o", kCached},
    {"clang++-19 -x hip -c a.cpp -o a.o", kCached},
    {"clang++-15 -c a.hip", kCached},
    {"/usr/bin/clang -c a.hip -o a.o", kCached},
    {"/opt/rocm/bin/amdclang++ -xhip -c a.cpp -o a.o", kCached},
    {"x86_64-linux-gnu-clang++-19.1 --language=hip -c a.cpp -o a.o", kCached},
    {"clang++ -c a.hip -oa.o", kCached},
    {"clang++ --compile a.hip --output=a.o", kCached},
    {"clang++ -x hip -c -o a.o -- a.cpp", kCached},
    {"clang++ -x hip -c -o a.o -- -odd-name.cpp", kCached},
    {"clang++ -c '' a.hip -o a.o", kCached},
    {"clang++ -O3 -g -Wall -Wextra -Werror -DX=1 -UY -Iinclude -isystem /x -c a.hip -o a.o", kCached},
    {"clang++ -std=c++20 -stdlib=libstdc++ -fPIC -fvisibility=hidden -fno-exceptions -c a.hip", kCached},
    {"clang++ -MD -MT a.o -MF a.o.d -c a.hip -o a.o", kCached},
    {"clang++ -MMD -MP -MQ a.o -c a.hip -o a.o", kCached},
    {"clang++ -Wp,-MD,a.d -c a.hip -o a.o", kCached},
    {"clang++ -Wp,-MMD,a.d -c a.hip -o a.o", kCached},
    {"clang++ -MF a.d -c a.hip -o a.o", kCached},
    {"clang++ --rocm-path=/opt/rocm --hip-path=/opt/rocm --rocm-device-lib-path=/x -nogpuinc -nogpulib -c a.hip",
     kCached},
    {"clang++ -fgpu-rdc -fno-gpu-rdc -c a.hip -o a.o", kCached},
    {"clang++ --hip-link -fgpu-rdc a.o b.o -o app", kCached},
    {"clang++ --hip-link -fgpu-rdc a.o dir.c/b ../c.so.1 lib.a -lb -L. -o app", kCached},
    {"clang++ --hip-link -fgpu-rdc -shared -fPIC -O3 a.o -Wl,-soname,liba.so -Wl,--as-needed -o liba.so", kCached},
    {"clang++ --hip-link -fgpu-rdc -rdynamic -pie -s -static-libstdc++ -fuse-ld=lld -Xlinker -z -Xlinker now a.o",
     kCached},
    {"clang++ --hip-link -fgpu-rdc --rtlib=compiler-rt -unwindlib=libgcc -no-hip-rt -pthread a.o -o app", kCached},
    {"clang++ -fno-gpu-rdc -c a.hip -o a.o", kCached},
    {"clang++ -fgpu-rdc -c a.hip -o a.o", kCached},
    {"clang++ --offload-device-only -c a.hip", kCached},
    {"clang++ --cuda-device-only -c a.hip", kCached},
    {"clang++ --offload-device-only --no-gpu-bundle-output -S a.hip", kCached},
    {"clang++ --offload-device-only -fhip-emit-relocatable -c a.hip", kCached},
    {"clang++ -flto -c a.hip", kCached},
    {"clang++ -flto=thin -c a.hip", kCached},
    {"clang++ -foffload-lto -c a.hip", kCached},
    {"clang++ --offload-compress -c a.hip", kCached},
    {"clang++ -S a.hip", kCached},
    {"clang++ -S -emit-llvm a.hip", kCached},
    {"clang++ -c -emit-llvm a.hip", kCached},
    {"clang++ -emit-llvm a.hip", "link"},
    {"clang++ -fcuda-rdc -c a.hip -o a.o", kCached},
    {"clang++ -fno-gpu-rdc -fuse-cuid=none -c a.hip -o a.o", kCached},
    {"clang++ --gpu-bundle-output --offload-host-device -c a.hip -o a.o", kCached},
    {"clang++ -munsafe-fp-atomics -mcumode -mwavefrontsize64 -mcode-object-version=5 -c a.hip", kCached},
    {"clang++ -fgpu-sanitize -fsanitize=address -c a.hip -o a.o", kCached},
    {"clang++ -fno-gpu-sanitize -fgpu-flush-denormals-to-zero -fgpu-default-stream=per-thread -c a.hip", kCached},
    {"clang++ -fhip-fp32-correctly-rounded-divide-sqrt -ffast-math -ffp-contract=fast -c a.hip", kCached},
    {"clang++ -fcolor-diagnostics -fdiagnostics-show-option -ferror-limit=3 -c a.hip", kCached},
    {"clang++ -cuid=17 -c a.hip -o a.o", kCached},
    {"clang --driver-mode=g++ -c a.hip -o a.o", kCached},
    {"clang++ -fuse-cuid=random -cuid=17 -c a.hip -o a.o", kCached},
    {"clang++ -fgpu-rdc -cuid=17 -fuse-cuid=none -c a.hip -o a.o", kCached},
    {"clang++ -fuse-cuid=hash -c a.hip -o a.o", kCached},
    {"clang++ -fuse-cuid=none -c a.hip -o a.o", kCached},
    {"clang++ -mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false -c a.hip", kCached},
    {"clang++ -mllvm=-inline-threshold=1000 -c a.hip -o a.o", kCached},
    {"clang++ -Xclang -fnative-half-arguments-and-returns -c a.hip -o a.o", kCached},
    {"clang++ -Xclang -mlink-builtin-bitcode -Xclang lib.bc -c a.hip -o a.o", kCached},
    {"clang++ -Xarch_device -O3 -Xarch_host -O0 -Xarch_gfx906 -DX -c a.hip -o a.o", kCached},
    {"clang++ -march=x86-64-v3 -mtune=znver3 -c a.hip -o a.o", kCached},
    {"clang++ -fprofile-instr-generate -fcoverage-mapping -c a.hip -o a.o", kCached},
    {"clang++ -fprofile-use=x.profdata -c a.hip -o a.o", kCached},
    {"clang++ --config=x.cfg -B/usr/lib/llvm-15/bin --gcc-toolchain=/usr --sysroot=/ -c a.hip", kCached},
    {"clang++ -no-canonical-prefixes -pthread -pipe -w -ansi -c a.hip", kCached},
    {"clang++ -Wl,-rpath,/x -L/x -lfoo -shared -static-libgcc -c a.hip -o a.o", kCached},
    {"clang++ -fdebug-prefix-map=/x=. -ffile-prefix-map=/y=. -gdwarf-5 -gline-tables-only -gz -c a.hip", kCached},
    {"clang++ -include pre.h -imacros m.h -iquote q -idirafter d -c a.hip", kCached},
    {"clang++ -fcrash-diagnostics -fcrash-diagnostics-dir=/x -c a.hip", kCached},
    {"clang++ -fopenmp -c a.hip -o a.o", kCached},
    {"clang++ --offload-arch=gfx906,gfx1030 --no-offload-arch=gfx906 -c a.hip", kCached},
    // Not such a compile.
    {"gcc -x hip -c a.hip -o a.o", "not-a-compiler"},
    {"hipcc -c a.hip -o a.o", kCached},
    {"hipcc -c a.cpp -o a.o", kCached},
    {"hipcc -x c++ -c a.cpp -o a.o", "not-hip"},
    {"hipcc -c a.c -o a.o", "not-hip"},
    {"clang-cl -c a.hip", "not-a-compiler"},
    {"clang-cpp a.hip", "not-a-compiler"},
    {"cl -c a.hip", "not-a-compiler"},
    {"myclang++ -c a.hip", "not-a-compiler"},
    {"clang-format-19 -c a.hip", "not-a-compiler"},
    {"clang++ -c a.cpp -o a.o", "not-hip"},
    {"clang++ -c a.cu -o a.o", "not-hip"},
    {"clang++ -x cuda -c a.cu -o a.o", "not-hip"},
    {"clang++ -x c++ -c a.hip -o a.o", "not-hip"},
    {"clang++ -c a.cpp -x hip -o a.o", "not-hip"},
    {"clang++ -x hip -x none -c a.cpp -o a.o", "not-hip"},
    {"clang++ -x hip-cpp-output -c a.hipi -o a.o", "not-hip"},
    {"clang++ -c a.o", "not-hip"},
    {"clang++ -x hip a.hip -o a", "link"},
    {"clang++ a.o b.o -o a", "link"},
    {"clang++ --hip-link a.o -o a", "link"},
    {"clang++ -fgpu-rdc a.o -o a", "link"},
    {"clang++ --hip-link -fgpu-rdc -fno-gpu-rdc a.o -o a", "link"},
    {"clang++ --hip-link -fgpu-rdc a.o b.cpp -o a", "link"},
    {"clang++ --hip-link -fgpu-rdc -x hip a.o -o a", "link"},
    {"clang++ --hip-link -fgpu-rdc -o a -lb", "no-input"},
    {"clang++ --hip-link -fgpu-rdc - -o a", "standard-input"},
    {"clang++ --hip-link -fgpu-rdc a.o -o /dev/null", "output-not-a-file"},
    {"clang++ --hip-link -fgpu-rdc --offload-arch=native a.o -o a", "native-target"},
    {"clang++ --hip-link -fgpu-rdc -save-temps a.o -o a", "save-temps"},
    {"clang++ --hip-link -fgpu-rdc -### a.o -o a", "driver-information"},
    {"clang++ -E a.hip", "preprocess-only"},
    {"clang++ -M -c a.hip", "preprocess-only"},
    {"clang++ -MM a.hip", "preprocess-only"},
    {"clang++ -fsyntax-only a.hip", "other-output"},
    {"clang++ --analyze a.hip", "other-output"},
    {"clang++ -emit-ast a.hip", "other-output"},
    {"clang++ --precompile a.hip", "other-output"},
    {"clang++ -c", "no-input"},
    {"clang++ -c a.hip b.hip", "several-inputs"},
    {"clang++ -c a.hip -- b.hip", "several-inputs"},
    {"clang++ -c a.hip b.o -o a.o", "several-inputs"},
    {"clang++ -x hip -c -", "standard-input"},
    {"clang++ -x hip -c -- -", "standard-input"},
    {"clang++ -c a.hip -o -", "output-not-a-file"},
    {"clang++ -c a.hip -o /dev/null", "output-not-a-file"},
    {"clang++ -c a.hip -o ''", "output-not-a-file"},
    {"clang++ -MD -MF - -c a.hip -o a.o", "output-not-a-file"},
    {"clang++ -MD -MF /dev/stdout -c a.hip -o a.o", "output-not-a-file"},
    {"clang++ -Wp,-MD,/dev/fd/3 -c a.hip -o a.o", "output-not-a-file"},
    {"clang++ -v -c a.hip", "driver-information"},
    {"clang++ -### -c a.hip", "driver-information"},
    {"clang++ --version", "driver-information"},
    {"clang++ --help", "driver-information"},
    {"clang++ -print-resource-dir", "driver-information"},
    {"clang++ -dumpmachine", "driver-information"},
    {"clang++ -mcpu=help -c a.hip", "driver-information"},
    // Another shape.
    {"clang++ -fgpu-rdc -fuse-cuid=none -c a.hip", "random-cuid"},
    {"clang++ --offload-host-only -c a.hip", kCached},
    {"clang++ --cuda-host-only -c a.hip", kCached},
    {"clang++ -fgpu-rdc --cuda-host-only -c a.hip", "random-cuid"},
    {"clang++ -fgpu-rdc --cuda-host-only --offload-host-device -c a.hip", kCached},
    {"clang++ --offload-new-driver -c a.hip", kCached},
    {"clang++ --offload-new-driver -fgpu-rdc -c a.hip", kCached},
    {"clang++ --offload-new-driver -fgpu-rdc --offload-device-only -c a.hip", "random-cuid"},
    {"clang++ --offload-new-driver -fgpu-rdc --hip-link a.o", kCached},
    {"clang++ --offload-link a.o", "link"},
    // More is written.
    {"clang++ -gsplit-dwarf -c a.hip", kCached},
    {"clang++ -gsplit-dwarf=single -c a.hip", "split-dwarf"},
    {"clang++ -save-temps -c a.hip", "save-temps"},
    {"clang++ --save-temps=obj -c a.hip", "save-temps"},
    {"clang++ -ftime-trace -c a.hip", "time-trace"},
    {"clang++ -ftime-trace=x.json -c a.hip", "time-trace"},
    {"clang++ -ftime-report -c a.hip", "time-trace"},
    {"clang++ -fsave-optimization-record -c a.hip", "optimization-record"},
    {"clang++ -foptimization-record-file=x -c a.hip", "optimization-record"},
    {"clang++ --serialize-diagnostics x -c a.hip", "serialized-diagnostics"},
    {"clang++ -serialize-diagnostics x -c a.hip", "serialized-diagnostics"},
    {"clang++ -MJ x.json -c a.hip", "compilation-database"},
    {"clang++ -gen-cdb-fragment-path x -c a.hip", "compilation-database"},
    {"clang++ -save-stats -c a.hip", "statistics"},
    {"clang++ -fproc-stat-report=x -c a.hip", "statistics"},
    {"clang++ --coverage -c a.hip", "coverage-notes"},
    {"clang++ -ftest-coverage -fprofile-arcs -c a.hip", "coverage-notes"},
    {"clang++ -fstack-usage -c a.hip", kCached},
    {"clang++ -dependency-dot x -c a.hip", "extra-output"},
    {"clang++ -H -c a.hip", "extra-output"},
    {"clang++ -Wp,-MT,x -c a.hip", "frontend-option"},
    {"clang++ -dumpdir x -c a.hip", "extra-output"},
    {"clang++ -gen-reproducer=always -c a.hip", "extra-output"},
    {"clang++ -fmodules -c a.hip", "modules"},
    {"clang++ -fmodule-output -c a.hip", "modules"},
    {"clang++ -fmodule-file=x.pcm -c a.hip", "modules"},
    {"clang++ -include-pch x.pch -c a.hip", "precompiled-header"},
    {"clang++ -fplugin=x.so -c a.hip", "plugin"},
    {"clang++ -fpass-plugin=x.so -c a.hip", "plugin"},
    {"clang++ -Xclang -load -Xclang x.so -c a.hip", "frontend-option"},
    {"clang++ -Xclang -plugin -Xclang x -c a.hip", "frontend-option"},
    {"clang++ -Xclang -ast-dump -c a.hip", "frontend-option"},
    {"clang++ -Xclang -emit-llvm-bc -c a.hip", "frontend-option"},
    {"clang++ -Xclang -emit-obj -c a.hip", "frontend-option"},
    {"clang++ -Xclang -o -Xclang x -c a.hip", "frontend-option"},
    {"clang++ -Xclang -dependency-file -Xclang x -c a.hip", "frontend-option"},
    {"clang++ -Xclang -fdump-record-layouts -c a.hip", "frontend-option"},
    {"clang++ -Xclang -print-stats -c a.hip", "frontend-option"},
    {"clang++ -Xclang -stats-file=x -c a.hip", "frontend-option"},
    {"clang++ -Xclang=-coverage-notes-file=x -c a.hip", "frontend-option"},
    {"clang++ -Xclang b.cpp -c a.hip", "frontend-option"},
    {"clang++ -Xclang -such-output -c a.hip", "frontend-option"},
    {"clang++ -Xclang -mllvm -Xclang -print-after-all -c a.hip", "frontend-option"},
    {"clang++ -Xpreprocessor -header-include-file -Xpreprocessor x -c a.hip", "frontend-option"},
    {"clang++ -Wp,-dependency-dot,x -c a.hip", "frontend-option"},
    {"clang++ -Wp,-MD,x,y -c a.hip", "frontend-option"},
    {"clang++ -mllvm -print-after-all -c a.hip", "backend-option"},
    {"clang++ -mllvm -debug-only=isel -c a.hip", "backend-option"},
    {"clang++ -mllvm --stats -c a.hip", "backend-option"},
    {"clang++ -mllvm -time-passes -c a.hip", "backend-option"},
    {"clang++ -mllvm -dot-cfg -c a.hip", "backend-option"},
    {"clang++ -mllvm -view-dag-combine1-dags -c a.hip", "backend-option"},
    {"clang++ -mllvm=-amdgpu-dump-hsa-metadata -c a.hip", "backend-option"},
    {"clang++ -mllvm -load=x.so -c a.hip", "backend-option"},
    // Not for other machines, not the same twice.
    {"clang++ -march=native -c a.hip", kCached},
    {"clang++ -mcpu=native -c a.hip", kCached},
    {"clang++ -mtune=native -c a.hip", kCached},
    {"clang++ --offload-arch=native -c a.hip", "native-target"},
    {"clang++ --cuda-gpu-arch=gfx906,native -c a.hip", "native-target"},
    {"clang++ -Xarch_host -march=native -c a.hip", kCached},
    {"clang++ -fuse-cuid=random -c a.hip", "random-cuid"},
    {"clang++ -fuse-cuid=random -cuid= -c a.hip", "random-cuid"},
    {"clang++ -grecord-command-line -g -c a.hip", "recorded-command-line"},
    {"clang++ -frecord-gcc-switches -c a.hip", "recorded-command-line"},
    // Not understood.
    {"clang++ -fsuch-print -c a.hip", "unknown-option"},
    {"clang++ -ftime-report-json -c a.hip", "unknown-option"},  // of clang 21
    {"clang++ -fmodules-driver -c a.hip", "unknown-option"},
    {"clang++ -Xclangas -save-temps -c a.hip", "unknown-option"},
    {"clang++ -Xarch_device -ftime-report-json -c a.hip", "unknown-option"},
    {"clang++ -fprint-such -c a.hip", "unknown-option"},
    {"clang++ --such-time-report -c a.hip", "unknown-option"},
    {"clang++ --such-file=x -c a.hip", "unknown-option"},
    {"clang++ -fsuch=/x/y -c a.hip", "unknown-option"},
    {"clang++ -fsuch-plugin=x -c a.hip", "unknown-option"},
    {"clang++ -Xarch_device -fsuch-plugin=x -c a.hip", "unknown-option"},
    {"clang++ --such -D -fplugin=x.so -c a.hip", "unknown-option"},  // --such may take -D
    {"clang++ /Fo a.hip -c", "several-inputs"},
    {"clang++ -c a.hip -o", "missing-argument"},
    {"clang++ -c a.hip -Xclang", "missing-argument"},
    {"clang++ --driver-mode=cl -c a.hip", "unsupported-option"},
    {"clang++ -working-directory /x -c a.hip", "unsupported-option"},
    {"clang++ -fno-integrated-as -c a.hip", "unsupported-option"},
    {"clang++ -via-file-asm -c a.hip", "unsupported-option"},
    {"clang++ --rsp-quoting=windows -c a.hip", "unsupported-option"},
    {"clang++ -Xoffload-linker -Map=x -c a.hip", "unsupported-option"},
    {"clang++ --offload=spirv64 -c a.hip", "unsupported-option"},
    {"clang++ -fopenmp-targets=amdgcn -c a.hip", "unsupported-option"},
    {"clang++ -ccc-gcc-name x -c a.hip", "unsupported-option"},
    {"clang++ -dM -c a.hip", "unsupported-option"},
    {"clang++ -Xarch_gfx906 -include -c a.hip", "unsupported-option"},
    {"clang++ -Xarch_device -ox -c a.hip", "unsupported-option"},
    {"clang++ -Xarch_device b.hip -c a.hip", "unsupported-option"},
    {"clang++ -Xarch_device -Xclang=-ast-dump -c a.hip", "frontend-option"},
    {"clang++ -Xarch_gfx906 -mllvm=-debug -c a.hip", "backend-option"},
    {"clang++ -Xarch_device -save-temps -c a.hip", "save-temps"},
    {"clang++ @no-such-file -c a.hip", "response-file"},
};

class CommandLine : public ::testing::TestWithParam<Case> {};

TEST_P(CommandLine, IsCachedOrPassesThroughUnderItsName) {
  const Parser parser;
  const auto parsed = parser.parse(words(GetParam().line), "/no/such/directory");
  if (GetParam().reason == kCached) {
    const auto* refusal = std::get_if<Uncacheable>(&parsed);
    EXPECT_EQ(refusal, nullptr) << GetParam().line << ": " << text_of(refusal->reason) << ' ' << refusal->detail;
  } else {
    ASSERT_TRUE(std::holds_alternative<Uncacheable>(parsed)) << GetParam().line;
    EXPECT_STREQ(text_of(std::get<Uncacheable>(parsed).reason), GetParam().reason) << GetParam().line;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, CommandLine, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return "Line" + std::to_string(row.index + 1); });

TEST(Parser, RefusesAnEmptyCommandAndNullBytes) {
  const Parser parser;
  EXPECT_TRUE(std::holds_alternative<Uncacheable>(parser.parse({}, "/")));
  EXPECT_TRUE(std::holds_alternative<Uncacheable>(parser.parse({"clang++"}, "/")));
  EXPECT_TRUE(std::holds_alternative<Uncacheable>(
      parser.parse({"clang++", "-c", std::string("a\0.hip", 6), "-o", "a.o"}, "/")));
}

}  // namespace
}  // namespace hipcache::compiler
