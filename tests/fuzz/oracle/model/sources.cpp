#include "fuzz/oracle/model/sources.h"

#include <array>

#include "fuzz/oracle/model/compile.h"

namespace hipcache::fuzz {
namespace {

constexpr const char* kPrelude = R"(#ifndef HC_VALUE
#define HC_PASTE(a, b) a##b
#define HC_GLUE(a, b) HC_PASTE(a, b)
#define HC_NAME(name) HC_GLUE(name, __COUNTER__)
#define HC_TEXT(x) #x
#define HC_VALUE(name, value) __attribute__((device)) int HC_NAME(name) = value;
#endif
)";

// Puts one text together, item by item.
class Text {
 public:
  // `first`: the lowest number of a header that may be included.
  Text(Random& random, std::size_t first) : random_(random), first_(first) {}

  void items(std::size_t count, unsigned depth) {
    for (; count > 0; --count) item(depth);
  }

  void include() {
    if (first_ >= kHeaders) return value();
    const std::string name = header_name(first_ + random_.below(kHeaders - first_));
    const std::string spelled = random_.chance(50) ? "\"" + name + "\"" : "<" + name + ">";
    const std::string included = "#include " + spelled + "\n";
    text_ += random_.chance(30) ? included : "#if __has_include(" + spelled + ")\n" + included + "#endif\n";
  }

  void add(const std::string& text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  void item(unsigned depth) {
    const std::size_t dice = random_.below(100);
    if (dice < 20) return value();
    if (dice < 45) return include();
    if (dice < 58) return conditional(depth);
    if (dice < 66) return macro();
    if (dice < 76) return flag();
    if (dice < 81) return comment();
    if (dice < 84) return optional();
    if (dice < 89) return place();
    if (dice < 91) return add("const char* HC_NAME(file) = __FILE__;\n");
    if (dice < 94) return add("#warning of number " + random_.number() + "\n");
    if (dice < 97) return warned();
    add("__attribute__((device)) float HC_NAME(scale)(float x) { return x * " + random_.number() + "; }\n");
  }

  // What compilers warn of, here or where it is declared.
  void warned() {
    const std::size_t dice = random_.below(4);
    if (dice == 0) return add("static int HC_NAME(unused) = " + random_.number() + ";\n");
    const std::string body = "{ return " + random_.number() + "; }";
    if (dice == 1)
      return add("struct HC_NAME(once) { [[nodiscard]] static int f() " + body + " static void g() { f(); } };\n");
    add(dice == 2 ? "#define HC_OLD [[deprecated(\"see X-Developer\")]]\n" : "#define HC_OLD [[deprecated]]\n");
    add("struct HC_NAME(old) { HC_OLD static int f() " + body + " static int g() { return f(); } };\n#undef HC_OLD\n");
  }

  // What shows where it stands, or how it is spelled.
  void place() {
    const std::size_t dice = random_.below(8);
    if (dice > 5) return check();
    if (dice == 0) return add("HC_VALUE(line, __LINE__)\n");
    if (dice == 1) return add("const char* HC_NAME(text) = HC_TEXT(a + b);\n");
    if (dice == 2) return add("inline int HC_NAME(at)(int line = __builtin_LINE()) { return line; }\n");
    if (dice == 3) return add("auto HC_NAME(lambda) = [](int x) { return x + " + random_.number() + "; };\n");
    if (dice == 4) return add("const char* HC_NAME(type)() { return __PRETTY_FUNCTION__; }\n");
    add("#define HC_MORE(x) x + " + random_.number() + "\nHC_VALUE(more, HC_MORE(1))\n#undef HC_MORE\n");
  }

  // A macro that shows where it is used, in one of its definitions.
  void check() {
    static const std::array<const char*, 5> kConditions{"#ifdef ", "#ifndef ", "#if defined ", "#if !defined ",
                                                        "#if 0\n#elif !defined HC_VALUE || defined "};
    add(std::string("#undef HC_CHECK\n") + random_.pick(kConditions) + flag_name() + "\n");
    add("#define HC_CHECK(x) x + __LINE__\n#else\n#define HC_CHECK(x) x\n#endif\nHC_VALUE(check, HC_CHECK(1))\n");
    if (random_.chance(10)) add("#undef " + flag_name() + "\n");
    if (random_.chance(10)) add("#undef " + flag_name() + "\n#define " + flag_name() + " " + random_.number() + "\n");
  }

  std::string flag_name() { return "FLAG_" + std::to_string(random_.below(kFlags)); }

  void value() { add("HC_VALUE(value, " + random_.number() + ")\n"); }
  void comment() { add("// comment " + random_.number() + "\n\n"); }

  // Of one arch or of one side.
  void conditional(unsigned depth) {
    if (depth == 0) return value();
    const bool side = random_.chance(50);
    add(side ? "#ifdef __HIP_DEVICE_COMPILE__\n" : "#ifdef " + macro_of(random_.pick(kArchs)) + "\n");
    items(1 + random_.below(2), depth - 1);
    if (random_.chance(50)) {
      add("#else\n");
      items(1, depth - 1);
    }
    add("#endif\n");
  }

  void macro() {
    const std::string name = "MACRO" + std::to_string(random_.below(3));
    if (random_.chance(50)) return add("#undef " + name + "\n#define " + name + " " + random_.number() + "\n");
    add("#ifdef " + name + "\nHC_VALUE(macro, " + name + ")\n#endif\n");
  }

  void flag() {
    const std::string name = flag_name();
    add("#ifdef " + name + "\nHC_VALUE(flag, " + name + ")\n#endif\n");
  }

  // Looks for a header without reading it.
  void optional() {
    const std::string name = header_name(random_.below(kHeaders));
    add("#if __has_include(" + (random_.chance(50) ? "\"" + name + "\"" : "<" + name + ">") + ")\n");
    value();
    add("#endif\n");
  }

  Random& random_;
  const std::size_t first_;
  std::string text_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Ends of the numbers of three digits: others are part of names.
std::vector<std::size_t> number_ends(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 3; i + 1 < text.size(); ++i) {
    const bool three = is_digit(text[i - 2]) && is_digit(text[i - 1]) && is_digit(text[i]);
    const bool apart = (text[i - 3] == ' ' || text[i - 3] == '=') && !is_digit(text[i + 1]);
    if (three && apart) ends.push_back(i);
  }
  return ends;
}

}  // namespace

std::string header_name(std::size_t number) { return "h" + std::to_string(number) + ".h"; }

std::string header_text(Random& random, std::size_t number) {
  Text text(random, number + 1);
  const std::size_t guard = random.below(3);
  const std::string macro = "GUARD" + std::to_string(number);
  if (guard == 0) text.add("#pragma once\n");
  if (guard == 1) text.add("#ifndef " + macro + "\n#define " + macro + "\n");
  text.add(kPrelude);
  text.items(1 + random.below(4), 2);
  if (random.chance(1)) text.add("const char* HC_NAME(time) = __TIMESTAMP__;\n");
  if (random.chance(15)) {
    const std::string next = "(<" + header_name(number) + ">)\n";
    text.add("#if __has_include_next" + next + "#include_next <" + header_name(number) + ">\n#endif\n");
  }
  if (guard == 1) text.add("#endif\n");
  return text.take();
}

std::string source_text(Random& random) {
  Text text(random, 0);
  text.add("#include \"runtime.h\"\n");
  text.add(kPrelude);
  for (std::size_t includes = 1 + random.below(3); includes > 0; --includes) text.include();
  text.items(2 + random.below(4), 2);
  const std::string number = random.number();
  if (random.chance(40)) {
    text.add("extern \"C\" __device__ float __ocml_sin_f32(float);\n");
    text.add("__global__ void kernel(float* data) { data[0] = __ocml_sin_f32(data[1] * " + number + "); }\n");
  } else {
    text.add("__global__ void kernel(float* data) { data[0] *= " + number + "; }\n");
  }
  text.add("#ifdef __HIP__\nvoid launch(float* data) { kernel<<<1, 64>>>(data); }\n#endif\n");
  if (random.chance(15)) {
    text.add("#ifndef __HIP_DEVICE_COMPILE__\n__asm__(\".incbin \\\"blob.bin\\\"\");\n#endif\n");
  }
  return text.take();
}

std::string with_another_number(Random& random, const std::string& text) {
  const std::vector<std::size_t> ends = number_ends(text);
  if (ends.empty()) return text;
  std::string changed = text;
  char& digit = changed[random.pick(ends)];
  digit = static_cast<char>('0' + (digit - '0' + 1 + random.below(9)) % 10);
  return changed;
}

std::string macro_of(const std::string& arch) { return "__" + arch.substr(0, arch.find(':')) + "__"; }

}  // namespace hipcache::fuzz
