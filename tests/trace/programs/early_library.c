#include <stdlib.h>

const char* answer_to_constructor(void);

static const char* answer;

__attribute__((constructor)) static void ask(void) { answer = getenv("TRACE_TEST_SET"); }

const char* answer_to_constructor(void) { return answer; }
