"""What edits insert: words of comments, odd characters and lines, options."""


def _lines(text):
    """Each line of the text, with \\n for a line's end."""
    return tuple(line.replace("\\n", "\n") for line in text.strip().splitlines())


CHARACTERS = ("\f", "\v", "\r", "\0", "\x1a", "\xef\xbb\xbf", "\xc2\xa0", "\\u00e9", "\xe9", "$", "@", "`", "\\", "??/\n",
              "\\ \n", "\xe2\x80\x8b")
COMMENTS = ("words", "fall through", "\\param x", "NO" "LINT", "TO" "DO(x): y", "\xc3\xa9", "clang-format off", "#if 0", '"',
            "'", "a /* b", "http://x", "??/", "<sys/types.h>", "__LINE__", "end\\", "expected-error {{x}}", "*", "/", "a\rb",
            "\xe2\x80\xae", *CHARACTERS)

# %n: a name, %h and %t: the same in two pieces; %w: an option of warnings; %d: a digit
LINES = _lines(
    r"""
#pragma %n
#pragma once
#pragma unroll %d
#pragma unroll %n
#pragma GCC diagnostic warning "%w"
#pragma GCC diagnostic error "%w"
#pragma GCC diagnostic ignored "%w"
#pragma clang diagnostic warning "%w"
#pragma GCC poison hc_%n
#pragma GCC system_header
#pragma GCC optimize("O%d")
#pragma message("%n")
#pragma push_macro("%n")
#pragma STDC FP_CONTRACT ON
#pragma pack(%d)
#pragma weak %n
#pragma clang loop unroll_count(%n)
_Pragma("GCC diagnostic warning \"%w\"")
_Pragma("unroll %n")
#line %d
#line %d "x.c"
# %d "y.h" 3
#ident "%n"
#warning %n
#define %n %n
#undef %n
#define defined %d
#define hc_one %n\
#ifdef %n\n#endif
#if 0\n'%n\n#endif
#if HC_%n\n#endif
#ifndef HC_%n\n#error %n\n#endif
#if __has_include("%n.h")\n#endif
#if __has_include(__FILE__)\nint hc_has;\n#endif
#include "%n.h"
#define HC_GLUE(a, b) a##b\nint HC_GLUE(hc_, %d);
#define HC_GLUE(a, b) a##b\nenum { HC_GLUE(%h, %t) };
#define HC_GLUE(a, b) a##b\nstatic const char hc_glued%d[] = { HC_GLUE(%h, %t) };
#define HC_DO(x) _Pragma(#x)\nHC_DO(message("%n"))
static inline void hc_loop%d(int* p) {\n#pragma unroll %n\nfor (int i = 0; i < 16; ++i) p[i] += i; }
void hc_loop%d(int* p) {\n_Pragma("unroll %n") for (int i = 0; i < 16; ++i) p[i] += i; }
void hc_long%d(void) { \\nint a = %d;   \\n(void)a; }
#define hc_long%d(a) int a  \\n = %n; \\n
void hc_if%d(int a) { if (a) a = 1;\n a = 2; switch (a) { case 1: a = 3; /* fall through */ case 2: a = 4; } }
#define HC_TEXT(...) #__VA_ARGS__\nconst char* hc_%d = HC_TEXT( a  b );
int hc_line%d = __LINE__;
const char* hc_file%d = __FILE__;
int hc_count%d = __COUNTER__;
enum { hc_%d = __LINE__ };
int hc_built%d = __builtin_LINE();
_Static_assert(sizeof(int) == 4, "%n");
__asm__(".globl hc_%d; hc_%d:");
__attribute__((annotate("%n"))) int hc_note%d;
static int hc_unused%d;
auto hc_lambda%d = [] { return %d; };
inline const char* hc_where%d() { return __func__; }
"""
)
WARNINGS = """
-Wall -Wextra -Wpedantic -Werror -Werror=all -Weverything -Wmisleading-indentation -Wimplicit-fallthrough -Wdocumentation
-Wcomment -Wunused-macros -Wtrigraphs -Wundef -Wshadow -Winvalid-utf8 -Wnewline-eof -Wbidi-chars=any -Wdate-time
-Wexpansion-to-defined -Wempty-body -Wunused -Wdeprecated -Wmacro-redefined -Wbuiltin-macro-redefined -Wstring-plus-int
-Wparentheses -w -Wsystem-headers -Wreserved-identifier -Wkeyword-macro -Wnull-character -Wbackslash-newline-escape
""".split()
OPTIONS = """
-g -g1 -g3 -ggdb3 -gdwarf-4 -O1 -O2 -Os -ftrigraphs -trigraphs -fno-exceptions -fsanitize=undefined -fprofile-arcs
-ftest-coverage -fPIC -ffunction-sections -fverbose-asm -fno-common -fdiagnostics-show-option -fno-caret-diagnostics
-fno-diagnostics-show-caret -fms-extensions -fasm-blocks -ffast-math -fsigned-char -fdollars-in-identifiers -fstack-usage
-fcoverage-mapping -fprofile-instr-generate -fparse-all-comments -fdebug-macro -finput-charset=latin1 -fexec-charset=utf-8
-save-temps -ansi -std=c++20 -std=c++14 -std=c11 -std=gnu89 -MJx.json -MP -fopenmp -flto -H -fshow-column -fdirectives-only
-frandom-seed=a -ftabstop=3 -fmessage-length=40 -fdiagnostics-format=json -fdiagnostics-color=always
-fmacro-backtrace-limit=1 -fspell-checking-limit=0 -ftrapv -fembed-bitcode -fcomment-block-commands=hc -ffreestanding
""".split()
