#include "hipcache/launcher/recorder.h"

#include <stddef.h>
#include <stdlib.h>

/* Bear from version 3 on; Bear 2 and scan-build's intercept-build. */
static const char* const of_recorders[] = {"INTERCEPT_REPORT_COMMAND", "INTERCEPT_BUILD_TARGET_DIR"};

bool launch_is_recorded(void) {
  if (getenv("LD_PRELOAD") == NULL) return false;
  for (unsigned index = 0; index < sizeof of_recorders / sizeof *of_recorders; ++index)
    if (getenv(of_recorders[index]) != NULL) return true;
  return false;
}
