// A small driver that plans and runs a HIP compile for TOOLS, and has options of its own: --made-up VALUE gives a
// macro, -fmade-up reaches no job. It prints and runs its jobs as clang's driver does.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
static char *words[128], names[4096], *room = names, *tools;
static int count, print;
static char* name(const char* one, const char* two, const char* three) {
  char* made = room;
  room += sprintf(room, "%s%s%s", one, two, three) + 1;
  return made;
}
static void add(char* word) { words[count++] = word; }
#define ADD(list) \
  for (size_t place = 0; place < sizeof(list) / sizeof *(list); ++place) add((list)[place])

static void run(const char* tool) {
  int status = 0;
  pid_t child;
  words[0] = name(tools, "/", tool);
  words[count] = 0;
  for (int i = 0; print && i < count; ++i) fprintf(stderr, " \"%s\"", words[i]);
  if (print) fputc('\n', stderr);
  if (!print && (posix_spawn(&child, words[0], 0, 0, words, environ) || waitpid(child, &status, 0) < 0 || status))
    exit(1);
  count = 1;
}
static void compile(char* triple, char* other, char* cuid, char* macro, char* level) {
  char* all[] = {"-cc1",
                 "-triple",
                 triple,
                 "-aux-triple",
                 other,
                 "-emit-obj",
                 "-main-file-name",
                 "a.hip",
                 "-mrelocation-model",
                 "pic",
                 "-pic-level",
                 "2",

                 "-std=c++17",
                 "-fhip-new-launch-api",
                 level};
  ADD(all);
  if (macro) add(macro);
  if (cuid) add(cuid);
}
int main(int argc, char** argv) {
  char *archs[8], *objects[8], *cuid = 0, *macro = 0, *level = "-O0", *output = 0, targets[512], *fatbin;
  int known = 0;
  const char* temporary = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
  char own[32];
  sprintf(own, "/made-up-%d-", (int)getpid());
  tools = TOOLS;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "-###"))
      print = 1;
    else if (!strncmp(argv[i], "--offload-arch=", 15))
      archs[known++] = argv[i] + 15;
    else if (!strncmp(argv[i], "-cuid=", 6))
      cuid = argv[i];
    else if (!strncmp(argv[i], "-O", 2))
      level = argv[i];
    else if (!strcmp(argv[i], "-o"))
      output = argv[++i];
    else if (!strcmp(argv[i], "--made-up"))
      macro = name("-DMADE_UP=", argv[++i], "");
  }
  for (int i = 0; i < known; ++i)
    for (int j = i + 1; j < known; ++j)
      if (strcmp(archs[i], archs[j]) > 0) {
        char* swap = archs[i];
        archs[i] = archs[j];
        archs[j] = swap;
      }
  strcpy(targets, "-targets=host-x86_64-unknown-linux");
  count = 1;
  for (int i = 0; i < known; ++i) {
    char* object = name(name(temporary, own, archs[i]), ".o", "");
    objects[i] = name(name(temporary, own, archs[i]), ".out", "");
    compile("amdgcn-amd-amdhsa", "x86_64-pc-linux-gnu", cuid, macro, level);
    char* device[] = {"-fcuda-is-device",
                      "-target-cpu",
                      archs[i],
                      "-fcuda-allow-variadic-functions",
                      "-o",
                      object,
                      "-x",
                      "hip",
                      "a.hip"};
    ADD(device);
    run("clang");
    char* link[] = {"-flavor", "gnu", "--no-undefined", "-shared", "-o", objects[i], object};
    ADD(link);
    run("lld");
    strcat(strcat(targets, ",hipv4-amdgcn-amd-amdhsa--"), archs[i]);
  }
  fatbin = name(temporary, own, "k.hipfb");
  add("-type=o"), add("-bundle-align=4096"), add(targets), add("-input=/dev/null");
  for (int i = 0; i < known; ++i) add(name("-input=", objects[i], ""));
  add(name("-output=", fatbin, ""));
  run("clang-offload-bundler");
  compile("x86_64-pc-linux-gnu", "amdgcn-amd-amdhsa", cuid, macro, level);
  char* host[] = {"-target-cpu",
                  "x86-64",
                  "-fcuda-include-gpubinary",
                  fatbin,
                  "-fcuda-allow-variadic-functions",
                  "-o",
                  output,
                  "-x",
                  "hip",
                  "a.hip"};
  ADD(host);
  run("clang");
  for (int i = 0; !print && i < known; ++i) remove(objects[i]), remove(name(name(temporary, own, archs[i]), ".o", ""));
  if (!print) remove(fatbin);
  return 0;
}
