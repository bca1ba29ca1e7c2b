#define _GNU_SOURCE
#include "hipcache/launcher/wrapper.h"

#include <stdlib.h>
#include <string.h>

#include "launcher/text.h"

static bool set_words(const char* hipcache, const char* const* options) {
  size_t room = strlen(hipcache) + 2;
  for (size_t i = 0; options != NULL && options[i] != NULL; ++i) room += strlen(options[i]) + 1;
  char words[room];
  struct launch_text text = launch_empty_text(words, room);
  launch_add(&text, hipcache);
  launch_add(&text, "\n");
  for (size_t i = 0; options != NULL && options[i] != NULL; ++i) {
    launch_add(&text, options[i]);
    launch_add(&text, "\n");
  }
  return setenv("HIPCACHE_WRAPPER", words, 1) == 0;
}

static bool preload(const char* library) {
  const char* others = getenv("LD_PRELOAD");
  const size_t room = strlen(library) + (others == NULL ? 0 : strlen(others)) + 2;
  char list[room];
  struct launch_text text = launch_empty_text(list, room);
  launch_add(&text, library);
  if (others != NULL && *others != '\0') {
    launch_add(&text, ":");
    launch_add(&text, others);
  }
  return setenv("LD_PRELOAD", list, 1) == 0;
}

bool launch_prepare_wrapper(const char* hipcache, const char* library, const char* const* options) {
  return set_words(hipcache, options) && preload(library);
}
