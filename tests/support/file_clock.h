// The clock that stamps files stands still for some milliseconds at a time. A compile that starts in the tick in which
// a program, a library or a listed directory of its inputs was written is not stored: for all that the race guard can
// tell, the input changed meanwhile.
#ifndef HIPCACHE_TESTS_SUPPORT_FILE_CLOCK_H
#define HIPCACHE_TESTS_SUPPORT_FILE_CLOCK_H

namespace hipcache::support {

// Returns when that clock is later than the stamps of everything that was written before the call, however it was
// written. Some milliseconds; 2 s at most, should the clock be set back meanwhile.
void await_next_tick();

}  // namespace hipcache::support

#endif
