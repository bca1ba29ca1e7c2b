/* Asks before the preload library has been started: where libc itself has no environment yet, in a constructor of a
 * library, and from inside an allocator, whoever calls it. */
#include <stdlib.h>
#include <string.h>

int allocations_asked(void);
const char* answer_to_constructor(void);

static void before_all_constructors(void) { (void)getenv("TRACE_TEST_SET"); }

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = before_all_constructors;

int main(void) {
  void* volatile allocated = calloc(1, 1);
  free(allocated);
  const char* answer = answer_to_constructor();
  return answer == NULL || strcmp(answer, "a value") != 0 || allocations_asked() == 0;
}
