// The clock that stamps files advances in ticks of some milliseconds. A compile is not stored if a program, library or
// listed directory was written in the tick in which it starts. The race guard cannot exclude that the input changed
// meanwhile.
#ifndef HIPCACHE_TESTS_SUPPORT_FILE_CLOCK_H
#define HIPCACHE_TESTS_SUPPORT_FILE_CLOCK_H

namespace hipcache::support {

// Returns once the clock is later than the stamps of everything that was written before the call. Takes some
// milliseconds; at most 2 s, if the clock is set back meanwhile.
void await_next_tick();

}  // namespace hipcache::support

#endif
