#define _GNU_SOURCE
#include "hipcache/launcher/wrapper.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hipcache/launcher/exec_compiler.h"
#include "launcher/text.h"

#define WRAPPER "HIPCACHE_WRAPPER="
#define PRELOAD "LD_PRELOAD="

static size_t size_of(const char* const* options) {
  size_t size = 0;
  for (size_t i = 0; options != NULL && options[i] != NULL; ++i) size += strlen(options[i]) + 1;
  return size;
}

static void write_words(struct launch_text text, const char* hipcache, const char* const* options) {
  launch_add(&text, WRAPPER);
  launch_add(&text, hipcache);
  launch_add(&text, "\n");
  for (size_t i = 0; options != NULL && options[i] != NULL; ++i) {
    launch_add(&text, options[i]);
    launch_add(&text, "\n");
  }
}

static void write_preload(struct launch_text text, const char* library, const char* others) {
  launch_add(&text, PRELOAD);
  launch_add(&text, library);
  if (others != NULL && *others != '\0') {
    launch_add(&text, ":");
    launch_add(&text, others);
  }
}

static size_t count_variables(void) {
  size_t count = 0;
  while (environ[count] != NULL) ++count;
  return count;
}

static bool begins(const char* entry, const char* name) { return strncmp(entry, name, strlen(name)) == 0; }

int launch_exec_wrapper(char* const* words, const char* hipcache, const char* library, const char* const* options) {
  const char* others = getenv("LD_PRELOAD");
  char wrapper[sizeof WRAPPER + strlen(hipcache) + 1 + size_of(options)];
  char preload[sizeof PRELOAD + strlen(library) + 1 + (others == NULL ? 0 : strlen(others))];
  char* variables[count_variables() + 3];
  write_words(launch_empty_text(wrapper, sizeof wrapper), hipcache, options);
  write_preload(launch_empty_text(preload, sizeof preload), library, others);
  size_t count = 0;
  for (char** entry = environ; *entry != NULL; ++entry) {
    if (!begins(*entry, WRAPPER) && !begins(*entry, PRELOAD)) variables[count++] = *entry;
  }
  variables[count++] = wrapper;
  variables[count++] = preload;
  variables[count] = NULL;
  char** const own = environ;
  environ = variables;
  const int code = launch_exec_compiler(words);
  environ = own;
  return code;
}
