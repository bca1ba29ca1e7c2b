/* Becomes the compiler $REAL_COMPILER with one word more: -DHIDDEN= and what the file "hidden" holds. hipcache cannot
 * see that file. If it says "edit", also edits the header "a.h" before that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "integration/support/compilers/hidden_file.h"

enum { MOST_WORDS = 200 };

int main(int argc, char** argv) {
  const char* real = getenv("REAL_COMPILER");
  if (real == NULL || argc < 1 || argc > MOST_WORDS) return 1;
  char hidden[64];
  char option[96];
  hidden_read("hidden", hidden, sizeof hidden);
  if (strcmp(hidden, "edit") == 0) hidden_edit("a.h");
  snprintf(option, sizeof option, "-DHIDDEN=%s", strcmp(hidden, "edit") == 0 ? "1" : hidden);
  char* words[MOST_WORDS + 2] = {NULL};
  memcpy(words, argv, (size_t)argc * sizeof *argv);
  words[0] = (char*)real;
  words[argc] = option;
  execv(real, words);
  return 127;
}
